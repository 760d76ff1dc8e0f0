"""Catalogs: files of a layout as tables of Iceberg, DuckLake and Delta."""
