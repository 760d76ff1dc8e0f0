"""From records to what they show, one file a feature. Pure: imports no engine and nothing that measures."""
