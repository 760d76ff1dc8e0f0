"""What second implementations share: texts of SQL, quantiles found in a second way, the comparison of figures."""
