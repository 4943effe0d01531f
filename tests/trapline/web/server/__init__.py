"""What is between a connection and a route."""
