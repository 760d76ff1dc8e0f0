"""Programs that write and read files of a layout, each in an environment with the library that it needs."""
