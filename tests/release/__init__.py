"""What is released: the wheel, its extras, and the benchmark runs that are kept."""
