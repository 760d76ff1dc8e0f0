"""Where the bytes lie: stores with the protocol of S3, reached by URL or started for a run."""
