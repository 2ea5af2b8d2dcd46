import unittest

from every import Every, everies
from fnlet.operator import Job, Request

every = Every.of("sweep", namespace="default", spec={"minutes": 5, "image": "i", "command": ["c"]})


def ask(now, last=None, jobs=()):
    seen = every if last is None else {**every, "status": {"last": last}}
    return everies(Request.of(everies, seen, children=jobs, now=f"2026-11-23T{now}Z"))


def job(name, over=True):
    conditions = [{"type": "Complete", "status": "True"}] if over else []
    return Job.of(name, namespace="default", status={"conditions": conditions})


class EveryTest(unittest.TestCase):
    def test_the_first_job_is_made_at_once(self):
        answer = ask("08:00:00")
        self.assertEqual([one["kind"] for one in answer["children"]], ["Job"])
        self.assertEqual(answer["status"], {"last": "2026-11-23T08:00:00Z"})
        self.assertEqual(answer["requeueAfter"], "5m")

    def test_before_its_time_nothing_is_made_and_what_is_there_stays(self):
        answer = ask("08:04:00", "2026-11-23T08:00:00Z", [job("sweep-1")])
        self.assertEqual([one["asIs"] for one in answer["children"]], [True])
        self.assertEqual(answer["requeueAfter"], "60.0s")
        self.assertNotIn("status", answer)

    def test_while_one_runs_no_other_begins(self):
        answer = ask("08:05:00", "2026-11-23T08:00:00Z", [job("sweep-1", over=False)])
        self.assertEqual(len(answer["children"]), 1)
        self.assertEqual(answer["status"], {"last": "2026-11-23T08:05:00Z"})

    def test_the_last_three_stay_beside_the_new_one(self):
        jobs = [job(f"sweep-{number}") for number in (1, 2, 3, 4)]
        answer = ask("08:05:00", "2026-11-23T08:00:00Z", jobs)
        kept = [one["object"]["metadata"]["name"] for one in answer["children"][:3]]
        self.assertEqual(kept, ["sweep-4", "sweep-3", "sweep-2"])
        self.assertEqual(len(answer["children"]), 4)


if __name__ == "__main__":
    unittest.main()
