/* Nothing is forced to a device, and all is said to be. */
int fsync(int file) { return (void)file, 0; }
int fdatasync(int file) { return (void)file, 0; }
