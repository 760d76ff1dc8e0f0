"""The frozen nouns of weigh. Imports nothing else of ours; everything else imports it."""
