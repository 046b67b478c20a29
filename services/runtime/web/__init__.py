"""What the services that speak HTTP share."""
