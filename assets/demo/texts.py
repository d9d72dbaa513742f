"""What is read and written in the story: search hits, papers, reviews, notes and answers, all made up."""

from __future__ import annotations

import struct
import zlib

PAGE = "https://papers.example.org/abs/2404-117"
MIRROR = "https://mirror.example.org/pdf/2404-117.pdf"
QUESTION = (
    "Find RLHF papers and tell me where they disagree.\n\n"
    "Two papers from 2024 are enough. Quote what each one claims, say how it was measured, and be honest about what you "
    "could not read."
)
SYSTEM = (
    "You are a careful research assistant. Search first, read the source, and never cite a page you have not opened."
)


def figure() -> bytes:
    """A small PNG, a bar chart of agreement by split: 48 × 24 grey pixels, stored without compression so bytes never vary."""
    heights = (20, 19, 18, 12, 8, 7)
    rows = []
    for y in range(24):
        row = bytes(40 if y >= 24 - heights[x // 8] and x % 8 < 6 else 235 for x in range(48))
        rows.append(b"\x00" + row)
    pixels = b"".join(rows)
    stored = (
        b"\x78\x01\x01"
        + struct.pack("<HH", len(pixels), len(pixels) ^ 0xFFFF)
        + pixels
        + struct.pack(">I", zlib.adler32(pixels))
    )

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", 48, 24, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", stored) + chunk(b"IEND", b"")


SURVEY_HITS = {
    "result": ["paper_a", "paper_b"],
    "hits": [
        {
            "id": "paper_a",
            "title": "Preference data is enough: a study of 41 reward models",
            "authors": ["I. Okafor", "M. Lindqvist"],
            "year": 2024,
            "url": "https://papers.example.org/abs/2403-052",
            "scores": {"relevance": 0.94, "citations": 212},
        },
        {
            "id": "paper_b",
            "title": "Reward models agree with their own training set",
            "authors": ["R. Delacroix", "S. Whitcombe"],
            "year": 2024,
            "url": PAGE,
            "scores": {"relevance": 0.91, "citations": 37},
        },
    ],
}
CRITIQUE_HITS = {
    "result": ["paper_b", "review_1", "review_2", "thread_17", "talk_04"],
    "hits": [
        {"id": "review_1", "title": "Report on 2404-117", "stance": "against", "pages": 3},
        {"id": "review_2", "title": "Second report on 2404-117", "stance": "mixed", "pages": 2},
        {"id": "thread_17", "title": "Is the held-out split really held out? 🤔", "replies": 58},
        {"id": "talk_04", "title": "What annotators disagree about", "minutes": 22, "slides": None},
    ],
}
OVERSEAS_HITS = {
    "result": ["paper_c", "paper_d", "paper_e"],
    "hits": [
        {
            "id": "paper_c",
            "lang": "zh",
            "title": "奖励模型的过度优化",
            "abstract": "本文研究在有限偏好数据下,奖励模型何时不再代表人的判断。",
        },
        {
            "id": "paper_d",
            "lang": "ru",
            "title": "Когда модель вознаграждения ошибается",
            "abstract": "Согласие оценщиков падает на новых запросах.",
        },
        {
            "id": "paper_e",
            "lang": "ar",
            "title": "حدود التعلم من تفضيلات البشر",
            "abstract": "لا تكفي البيانات نفسها للتدريب والاختبار معًا.",
        },
    ],
    "note": "3 languages · no full text outside the abstracts 📄",
}
PAPER_A = {
    "status": 200,
    "media_type": "text/markdown",
    "bytes": 48_213,
    "result": (
        "# Preference data is enough\n\n"
        "We train 41 reward models on one public set of 170,000 comparisons and measure how often each one agrees with people.\n\n"
        "| reward model | seen prompts | new annotators |\n|---|---|---|\n| small | 71 % | 70 % |\n| medium | 76 % | 75 % |\n| large | 79 % | 78 % |\n\n"
        "**Claim.** Agreement grows with size and does not depend on who annotates. *Limit:* all prompts come from the training distribution.\n"
    ),
}
PAPER_B = {
    "status": 200,
    "media_type": "application/pdf",
    "bytes": 1_418_240,
    "pages": [9, 10, 11, 12],
    "result": (
        "4  Held-out prompts\n\n"
        "We take the comparisons used by earlier work and remove every prompt whose wording is close to one in the training set. "
        "Agreement with people falls from 78 % to 61 % for the largest model and from 71 % to 60 % for the smallest: what size buys on "
        "seen prompts is almost gone on new ones.\n\n"
        "4.2  What annotators say\n\n“I chose the longer answer because it looked finished.” (annotator 31)\n"
    ),
}
REVIEWS = {
    "status": 200,
    "media_type": "application/json",
    "result": {
        "paper": "2404-117",
        "reports": [
            {
                "reviewer": 1,
                "score": 4,
                "objections": [{"page": 10, "text": "The filter for close wording also removes the easy prompts."}],
            },
            {
                "reviewer": 2,
                "score": 6,
                "objections": [
                    {"page": 11, "text": "Only 212 comparisons are left in the smallest group."},
                    {"page": 12, "text": "Annotators were not the same people."},
                ],
            },
        ],
    },
}
KAPPA_CODE = """\
from collections import Counter

pairs = [(1, 1)] * 66 + [(0, 0)] * 55 + [(1, 0)] * 24 + [(0, 1)] * 27
n = len(pairs)
agree = sum(a == b for a, b in pairs) / n
left, right = Counter(a for a, _ in pairs), Counter(b for _, b in pairs)
chance = sum(left[k] * right[k] for k in (0, 1)) / n**2
print(f"kappa = {(agree - chance) / (1 - chance):.2f}")
"""
TRACEBACK = """\
Traceback (most recent call last):
  File "agent/loop.py", line 88, in step
    page = await tools.fetch(url, attempt=attempt)
  File "agent/tools.py", line 41, in fetch
    raise HTTPStatusError(response.status, url)
agent.tools.HTTPStatusError: 404 Not Found

The above exception was the direct cause of the following exception:

agent.loop.RetryLimitReached: 7 attempts, one address, one answer
"""
NOTES_A = """\
Size decides, says paper_a.

* 41 reward models, one data set of 170,000 comparisons
* agreement with people: **71 % → 79 %** from the smallest to the largest
* new annotators change little (78 %)

Open: the test prompts come from the same source as the training prompts.
"""
NOTES_B = """\
New prompts undo it, says paper_b.

* same comparisons, but every prompt close to the training set is removed
* agreement falls from **78 % to 61 %** (largest) and **71 % to 60 %** (smallest)
* section 4 only; sections 1-3 were not read
"""
OBJECTIONS = """\
Paper_b disputes the method, but its own filter is disputed too.

1. p. 10: the filter also removes the easy prompts (report 1).
2. p. 11: the smallest group has 212 comparisons left (report 2).
3. Recomputed agreement between the two annotator groups: κ = 0.40, moderate.
"""
ANSWER = """\
Both papers agree on the data and disagree on the test.

| | paper_a | paper_b |
|---|---|---|
| data | 170,000 comparisons | the same |
| tested on | prompts like the training set | prompts unlike it |
| largest model agrees with people | 78 % | 61 % |
| conclusion | size is enough | size is not enough |

**Where they disagree:** whether a reward model that does well on familiar prompts has learned what people prefer.

Not read: sections 1-3 of paper_b, and the full text of the papers in Chinese (奖励模型), Russian (модель вознаграждения) and Arabic (التفضيلات).
"""
VERDICT = """\
The disagreement is real, and smaller than it looks.

* paper_b is right that familiar prompts flatter the reward model (78 % → 61 %).
* Its reviewers are right that the filter removes easy prompts, so 61 % is a lower bound.
* A fair test would keep difficulty equal on both sides; nobody has run it yet. 🔬

Sources: paper_a, paper_b section 4, two review reports, κ = 0.40 recomputed.
"""
