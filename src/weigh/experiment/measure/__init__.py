"""Blocks of fresh starts and their executions; budget, stopping rule, calibration, cold executions."""
