"""Process timed by metrics.py: sacrebleu and rouge-score from sentences in memory to scores."""

import json
import logging
import sys
import time
from pathlib import Path

from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU


class Blanks:
    """Tokenizer that splits at blanks, the same for all metrics."""

    def tokenize(self, text):
        return text.split()


def main():
    logging.disable()  # sacrebleu writes an advice for each sentence
    folder = Path(sys.argv[1])
    hypotheses, references = (
        (folder / f"{name}.txt").read_text().removesuffix("\n").split("\n")
        for name in ("hypotheses", "references"))
    pairs = list(zip(hypotheses, references, strict=True))
    bleu = BLEU(tokenize="none", smooth_method="none", max_ngram_order=3, effective_order=False)
    rouge = RougeScorer(["rouge1", "rouge2", "rouge3"], tokenizer=Blanks())

    def rouge_123():
        scores = [rouge.score(reference, hypothesis) for hypothesis, reference in pairs]
        return [[100 * score[f"rouge{n}"].fmeasure for score in scores] for n in (1, 2, 3)]

    tasks = {"bleu_corpus": lambda: [[bleu.corpus_score(hypotheses, [references]).score]],
             "bleu_sentence": lambda: [[bleu.sentence_score(hypothesis, [reference]).score
                                        for hypothesis, reference in pairs]],
             "rouge": rouge_123}
    for line in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        scores = tasks[line.split()[0]]()
        print(json.dumps({"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu,
                          "pairs": len(pairs), "scores": scores}), flush=True)


if __name__ == "__main__":
    main()
