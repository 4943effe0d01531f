"""The pages that are packages of their own: practice, repertoires and opponents."""
