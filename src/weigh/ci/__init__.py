"""weigh in CI: a job that measures, what it leaves, and the comment on a pull request (docs/guide/ci.md)."""
