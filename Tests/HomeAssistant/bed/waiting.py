"""Waiting for what other processes do."""
import time


class Failure(Exception):
    """Something did not happen in time, or happened wrongly."""


def wait_for(question, what, seconds=15.0, gap=0.05):
    """The first true answer to a question, which is asked again and again."""
    end = time.monotonic() + seconds
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failure(f"not within {seconds:g} s: {what() if callable(what) else what}")
        time.sleep(gap)
