"""The n-th write, fsync, rename, open or allocation of weigh fails, one after another, as SQLite is tested."""
