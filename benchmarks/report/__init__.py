"""Measures everything that is said about speed and memory, and writes it down.

    make bench-report                    # all of it, some 30 minutes
    make bench-report ARGS="--quick"     # a look at it, two minutes

A measurement is a command that prints one JSON object (`plan`); anybody can run
it by hand and gets the same figures. It is run in a process of its own, in
several rounds with all others in between, so that a machine's moods meet all of
them alike (`runner`). What it printed goes into a journal at once and is not
measured again (`journal`): a run may be stopped and started at any time. In the
end the rounds are brought together (`findings`) into tables (`sections`) and
plots (`plots`).
"""
