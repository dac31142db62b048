"""corpus -> private schema: reads the author's files, cuts them, checks what would travel, embeds.

`ingest_archive` is the stage; `corpus` finds files, `front_matter` and `plain_text` read them,
`adapters` turn one file into an entity and its fragments.
"""
