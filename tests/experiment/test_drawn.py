"""What is asked again of a large grid: enough of every template, everything of whatever is no grid, and drawn."""

import pytest

from weigh.experiment.results import drawn
from weigh.model.answer import Column, ResultSchema
from weigh.model.operation import Case, Operation, Workload

SCHEMA = ResultSchema(columns=(Column(name="n", kind="integer"),))


def workload(**sizes: int) -> Workload:
    """Of each template so many operations; those of ``none`` have no template."""
    return Workload(
        name="sql",
        dataset="files",
        operations=tuple(
            Operation(
                name=f"{template}(x={number})",
                sql="SELECT 1 AS n",
                schema=SCHEMA,
                cases=(Case(name="only", timed=True),),
                **({} if template == "none" else {"template": template}),
            )
            for template, size in sizes.items()
            for number in range(size)
        ),
    )


@pytest.mark.parametrize(("there", "asked"), [(1, 1), (2, 2), (4, 4), (5, 4), (16, 4), (17, 5), (25, 5), (250, 16)])
def test_the_square_root_and_four_at_least(there: int, asked: int) -> None:
    assert drawn.due(there) == asked


def test_up_to_a_hundred_and_without_templates_everything_is_asked_again() -> None:
    for one in (workload(a=50, b=50), workload(none=500)):
        again = drawn.draw(one)
        assert (again, drawn.left_out(one, again), drawn.findings_of(one, again)) == ({}, frozenset(), [])


def test_of_a_grid_some_of_each_template_and_all_without_one() -> None:
    one = workload(a=250, b=3, none=20)
    again = drawn.draw(one)
    assert {template: len(names) for template, names in again.items()} == {"a": 16, "b": 3}
    left = drawn.left_out(one, again)
    assert len(left) == 234
    assert all(name.startswith("a(") for name in left)
    assert not drawn.wrong(one, again)
    (said,) = drawn.findings_of(one, again)
    assert said.code == "X.drawn"
    assert "19 of 253 operations of 2 templates, at least 4 of each," in said.text
    assert "of all 273 were compared" in said.text
    (same,) = drawn.findings_of(two := workload(a=60, b=60), drawn.draw(two))
    assert "8 of 60 operations of each of 2 templates" in same.text


def test_nobody_knows_which() -> None:
    one = workload(a=250)
    assert len({drawn.draw(one)["a"] for _ in range(5)}) > 1


def test_what_nobody_can_have_drawn_is_found() -> None:
    one = workload(a=250, b=3)
    right = drawn.draw(one)
    assert "must be 16" in drawn.wrong(one, {**right, "a": right["a"][:-1]})
    assert "must be 16" in drawn.wrong(one, {**right, "a": (*right["a"][:-1], "b(x=0)")})
    assert "must be 16" in drawn.wrong(one, {**right, "a": (*right["a"][:-1], right["a"][0])})
    assert "must be 0" in drawn.wrong(one, {**right, "c": ()})
    assert "no operation of template b" in drawn.wrong(one, {"a": right["a"]})
    assert drawn.wrong(workload(a=20), {"a": ()})
