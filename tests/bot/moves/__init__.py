"""How the bot chooses its moves."""
