"""What an experiment says of cold and first executions."""
