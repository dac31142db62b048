"""What is held to a goal: each benchmark with its command, and where its JSON holds which figure.

A benchmark is registered here and nowhere else. One that is not in the tree, lacks a library or has
no such figure is reported as not measured, never as met.
"""

from __future__ import annotations

from eval.benchmarks.goal import Benchmark, Goal

BENCHMARKS: tuple[Benchmark, ...] = (
    Benchmark(
        "search",
        (
            Goal(
                "a search of 1,000 fragments over the plain exact statement and its text",
                ("1000", "search_to_bare"),
                2.0,
            ),
            Goal(
                "a search of 10,000 fragments over the plain exact statement and its text",
                ("10000", "search_to_bare"),
                1.5,
            ),
            Goal("the same of words that no text holds", ("10000", "unknown_words_to_bare")),
            Goal("the same with every boost", ("10000", "full_set_to_bare")),
        ),
        quick=("--fragments", "1000", "--rounds", "3"),
    ),
    Benchmark(
        "rivals",
        (
            Goal(
                "a search of 10,000 fragments over LangChain's PGVectorStore",
                ("langchain", "searchToRival"),
                0.5,
            ),
            Goal(
                "a search of 10,000 fragments over LlamaIndex's PGVectorStore",
                ("llamaindex", "searchToRival"),
                0.5,
            ),
            Goal("rows a second that LangChain's PGVectorStore takes in", ("langchain", "rows")),
            Goal("rows a second that LlamaIndex's PGVectorStore takes in", ("llamaindex", "rows")),
            Goal("rows a second that an ingest of the same rows stores", ("fonds", "rows")),
        ),
        quick=("--fragments", "200", "--rounds", "3"),
    ),
    Benchmark(
        "recall",
        (
            Goal("recall of the exact path", ("recall",), 1.0, "at least"),
            Goal("hits too few while enough fragments clear the floor", ("missingHits",), 0),
        ),
        quick=("--fragments", "800", "--questions", "5"),
    ),
    Benchmark(
        "neighbours",
        (
            Goal("a search beside 100 other archives over one without", ("besideToAlone",), 1.2),
            Goal(
                "time a fragment in the largest archive over that in the smallest",
                ("linearity",),
                1.2,
            ),
        ),
        quick=("--sizes", "100", "200", "--others", "2", "--rounds", "2"),
    ),
    Benchmark(
        "load",
        (
            Goal(
                "a search over HTTP over the plain exact statement",
                ("oneCaller", "searchToBare"),
                4.0,
            ),
            Goal(
                "processor time of a search over that of an empty endpoint",
                ("oneCaller", "cpuToEmpty"),
                10.0,
            ),
            Goal(
                "growth of memory over the second half of 10,000 requests",
                ("atOnce", "secondHalfGrowth"),
                0.05,
            ),
            Goal("replies that broke a promise under faults", ("faults", "broken"), 0),
        ),
        ("--faults",),
        ("--archives", "1", "--fragments", "200", "--rounds", "20", "--requests", "80"),
    ),
    Benchmark(
        "limiter",
        (Goal("counting a request over an empty statement", ("take_to_empty",), 4.0),),
        quick=("--rounds", "20", "--threads", "1"),
    ),
    Benchmark(
        "ingest",
        (
            Goal(
                "rows a second of a first ingest over those of bare staging",
                ("first", "ratio"),
                0.5,
                "at least",
            ),
            Goal("an ingest of unchanged files over hashing them", ("unchanged", "ratio"), 2.5),
            Goal("rows written where nothing changed", ("unchanged", "rowsWritten"), 0),
            Goal("calls to an embedder where nothing changed", ("unchanged", "embeddingCalls"), 0),
            Goal("rows written beyond those that changed", ("changed", "rowsBeyond"), 0),
        ),
        quick=("--files", "40", "--fragments", "500", "--rounds", "2"),
    ),
    Benchmark(
        "memory",
        (
            Goal(
                "most memory of an ingest over that of a corpus of an eighth",
                ("largestToSmallest",),
                1.2,
            ),
        ),
        quick=("--files", "20", "40"),
    ),
    Benchmark(
        "build",
        (
            Goal("a build of 10,000 fragments", ("10000", "fullSeconds"), 20.0, unit=" s"),
            Goal(
                "time a fragment in the larger archive over that in the smaller",
                ("linearity",),
                1.2,
            ),
            Goal(
                "a build after one fragment in a hundred changed over a whole one",
                ("10000", "changedToFull"),
                0.5,
            ),
            Goal("builds made where nothing changed", ("buildsOfNothing",), 0),
            Goal("finding out that nothing changed over a build", ("10000", "unchangedToFull")),
        ),
        quick=("--fragments", "200", "400", "--rounds", "1"),
    ),
    Benchmark(
        "parsing",
        (
            Goal(
                "Markdown from file to fragments",
                ("megabytesASecond", "whole"),
                5.0,
                "at least",
                " MB/s",
            ),
        ),
        quick=("--megabytes", "0.1", "--rounds", "1", "--pages", "1"),
    ),
    Benchmark(
        "scale",
        (
            Goal(
                "power of the size, up to 100,000 fragments, that a search grows with",
                ("exponents", "searchServerCpu"),
                1.15,
            ),
            Goal(
                "power of the size, up to 100,000 fragments, that a build grows with",
                ("exponents", "buildCpu"),
                1.15,
            ),
            Goal(
                "server time of a search of 10,000 fragments beside 100 archives over alone",
                ("beside", "serverCpuRatios", "10000"),
                1.2,
            ),
        ),
        quick=("--quick",),
        to_file=True,
    ),
    Benchmark(
        "index",
        (
            Goal(
                "hits of an exact search of 50,000 fragments that one by the index finds",
                ("50000", "recall"),
                0.99,
                "at least",
            ),
            Goal(
                "hits of an exact search of 100,000 fragments that one by the index finds",
                ("100000", "recall"),
                0.99,
                "at least",
            ),
            Goal(
                "a search of 50,000 fragments by the index over an exact one",
                ("50000", "timeToExact"),
                0.5,
            ),
            Goal("the same of 10,000 fragments", ("10000", "timeToExact")),
            Goal("the same of 100,000 fragments", ("100000", "timeToExact")),
            Goal("making the index of 100,000 fragments", ("100000", "makeSeconds"), unit=" s"),
            Goal("memory of making it", ("100000", "makeMB"), unit=" MB"),
        ),
        ("--rounds", "40"),
        ("--fragments", "1000", "--rounds", "3"),
        to_file=True,
    ),
    Benchmark(
        "scope",
        (
            Goal(
                "a search of 1,000 fragments whose scope is sealed over one whose is not",
                ("1000", "search_to_bare"),
                1.2,
            ),
            Goal(
                "a search of 10,000 fragments whose scope is sealed over one whose is not",
                ("10000", "search_to_bare"),
                1.2,
            ),
            Goal("an empty transaction, likewise", ("1000", "empty_to_bare")),
        ),
        quick=("--fragments", "1000", "--rounds", "3"),
    ),
    Benchmark(
        "pages",
        (
            Goal("the reader's page", ("milliseconds", "page", "p50"), 10.0, unit=" ms"),
            Goal("the reader's page over an empty endpoint", ("pageToEmpty",)),
            Goal("what the archive holds as a page over what the API tells", ("aboutToTold",)),
            Goal("processor time of the reader's page", ("cpuMilliseconds", "page"), unit=" ms"),
        ),
        quick=("--fragments", "100", "--rounds", "5"),
    ),
    Benchmark(
        "twins",
        (
            Goal("replies by which twin archives are told apart", ("replies", "differ"), 0),
            Goal(
                "chance to tell what is exposed as none by the time of 100 pairs of replies",
                ("times", "all", "none", "togetherOf", "value"),
            ),
            Goal(
                "the same of private material where private layers are filtered out",
                ("times", "public", "full", "togetherOf", "value"),
            ),
            Goal(
                "the same of two archives that hold the same",
                ("times", "all", "again", "togetherOf", "value"),
            ),
        ),
        quick=("--fragments", "40", "--rounds", "3"),
        to_file=True,
        package="eval.trials",
    ),
)
