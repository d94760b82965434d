"""Whether a sentence says what a statement says: what shares only its words must not."""

import time

import pytest

from selfrag.models.saying import Said, says

VMS = (
    "We ran 4 different configurations for comparison: (a) SpiderMonkey, the baseline interpreter, "
    "(b) TraceMonkey, (d) SquirrelFish Extreme (SFX), the call-threaded JavaScript interpreter "
    "used in Apple's WebKit, and (e) V8, the method-compiling JavaScript VM from Google."
)
FASTEST = "TraceMonkey is the fastest VM on 9 of the 26 benchmarks (3d-morph, crypto-sha1)."
SUITE = (
    "SunSpider consists of 26 short-running (less than 250ms, average 26ms) JavaScript programs."
)
GIT = (
    "O sistema do Git foi criado no ano de 2005 em poucos dias, por conta de uma briga entre o "
    "Linus e o criador de um software chamado BitKeeper."
)
MADE = "Um dos softwares VCS mais famosos é o Git, feito por Linus Torvalds, o mesmo criador."
LEAVE = "Annual leave is 25 days a year."

HOURS = "The museum is open from Tuesday to Sunday from 10 am to 5 pm and is closed on Mondays."
POOL = "A piscina é do prédio e fica fechada às segundas."

SAME = [
    (HOURS, "The museum is closed on Mondays.", "en"),
    (HOURS, "The museum is open from Tuesday to Sunday.", "en"),
    (
        "A piscina é do prédio e fica fechada às segundas.",
        "A piscina fica fechada às segundas.",
        "pt",
    ),
    (SUITE, "SunSpider consists of 26 programs.", "en"),
    (FASTEST, "TraceMonkey is the fastest VM on 9 of the 26 benchmarks.", "en"),
    (GIT, "O Git foi criado em 2005.", "pt"),
    (MADE, "O Git foi feito por Linus Torvalds.", "pt"),
    ("The fee is 1000 euros.", "The fee is 1,000 euros.", "en"),
    ("The shed isn't locked at night.", "The shed is not locked at night.", "en"),
]
OPPOSITE = [
    (HOURS, "The museum is open on Mondays.", "en"),
    (SUITE, "SunSpider consists of 62 programs.", "en"),
    (FASTEST, "TraceMonkey is the fastest VM on 12 of the 26 benchmarks.", "en"),
    (FASTEST, "TraceMonkey is the slowest VM on 9 of the 26 benchmarks.", "en"),
    (GIT, "O Git foi criado em 1999.", "pt"),
    (GIT, "O Git não foi criado em 2005.", "pt"),
    (LEAVE, "Annual leave is not 25 days a year.", "en"),
    ("The shed isn't locked at night.", "The shed is locked at night.", "en"),
    ("Le congé annuel est de 25 jours.", "Le congé annuel n'est pas de 25 jours.", "fr"),
    ("Las vacaciones son de 22 días.", "Las vacaciones son de 30 días.", "es"),
    ("Die Frist beträgt 6 Monate.", "Die Frist beträgt 3 Monate.", "de"),
    (
        "Der Schuppen ist nachts nicht abgeschlossen.",
        "Der Schuppen ist nachts abgeschlossen.",
        "de",
    ),
    ("Il museo chiude dopo le 18.", "Il museo chiude prima le 18.", "it"),
    ("Wages were lowered by the council.", "Wages were raised by the council.", "en"),
]
NEITHER = [
    # the second half of another clause, or of another subject
    (
        "The museum is beside a house that was sold in May and is closed on Mondays.",
        "The museum is closed on Mondays.",
        "en",
    ),
    (
        "The museum is open on Sundays and the cafe is closed on Mondays.",
        "The museum is closed on Mondays.",
        "en",
    ),
    (
        "The museum is not open in winter and is closed on Mondays.",
        "The museum is not closed on Mondays.",
        "en",
    ),
    ("If it is cold, the museum is open and is heated.", "The museum is heated.", "en"),
    # the names alone
    (VMS, "TraceMonkey is slower than the SpiderMonkey interpreter.", "en"),
    (VMS, "TraceMonkey is faster than the SpiderMonkey interpreter.", "en"),
    (VMS, "TraceMonkey was written by Google.", "en"),
    # every word, said of something else
    (VMS, "V8 is the baseline interpreter.", "en"),
    (VMS, "SquirrelFish Extreme is the method-compiling VM.", "en"),
    (VMS, "Apple's WebKit uses V8, the method-compiling JavaScript VM.", "en"),
    (MADE, "O BitKeeper foi feito por Linus Torvalds.", "pt"),
    (GIT, "Linus é o criador de um software chamado BitKeeper.", "pt"),
    (
        "The successor of SunSpider consists of 26 programs.",
        "SunSpider consists of 26 programs.",
        "en",
    ),
    ("The Acme building was sold in 2005.", "Acme was sold in 2005.", "en"),
    ("Google's V8 runs JavaScript.", "Google runs JavaScript.", "en"),
    # another order, another preposition
    ("The train is faster than the bus.", "The bus is faster than the train.", "en"),
    ("Acme was sold by Brightwater.", "Acme was sold to Brightwater.", "en"),
    ("Acme was sold by Brightwater.", "Acme sold Brightwater.", "en"),
    # for some, under a condition, as a guess, up to a bound
    ("Annual leave for managers is 25 days.", "Annual leave is 25 days.", "en"),
    ("Annual leave is 25 days for managers.", "Annual leave is 25 days.", "en"),
    ("Some employees get a laptop.", "All employees get a laptop.", "en"),
    ("If the council agrees, the shed is locked.", "The shed is locked.", "en"),
    ("We asked whether the drug causes headaches.", "The drug causes headaches.", "en"),
    ("Annual leave is at least 25 days a year.", LEAVE, "en"),
    ("Annual leave is at least 25 days a year.", "Annual leave is 30 days a year.", "en"),
    ("Annual leave is 20-25 days a year.", "Annual leave is 30 days a year.", "en"),
    # a figure that tells which one, or that may be the same
    ("Table 3 shows the results.", "Table 2 shows the results.", "en"),
    ("The trip takes about 9 hours.", "The trip takes about 10 hours.", "en"),
    # what is denied is something else
    ("The shed is not only locked but guarded.", "The shed is not locked.", "en"),
    ("Three runs are not traced and end in the interpreter.", "Three runs end.", "en"),
    # another language
    (MADE, "Git was created by Linus Torvalds.", "pt"),
]


@pytest.mark.parametrize(("sentence", "statement", "language"), SAME)
def test_nearly_the_same_words_say_the_same(sentence: str, statement: str, language: str) -> None:
    assert says(statement, sentence, language) is Said.SAME


@pytest.mark.parametrize(("sentence", "statement", "language"), OPPOSITE)
def test_one_figure_denial_or_opposite_word_says_the_opposite(
    sentence: str, statement: str, language: str
) -> None:
    assert says(statement, sentence, language) is Said.OPPOSITE


@pytest.mark.parametrize(("sentence", "statement", "language"), NEITHER)
def test_shared_words_that_say_something_else_say_neither(
    sentence: str, statement: str, language: str
) -> None:
    assert says(statement, sentence, language) is Said.NEITHER


def test_one_word_again_and_again_takes_no_longer() -> None:
    began = time.perf_counter()
    assert says("buffalo " * 60 + "cows.", "buffalo " * 75 + ".", "en") is Said.NEITHER
    assert time.perf_counter() - began < 5  # each way taken by itself would take centuries
