"""What lies under the contenders: files, table formats, stores, storage, and what loading costs."""
