"""The native half of weigh (Rust): digests, hashes, Parquet's facts, batch means, the sampler, and load.

Paths are read as they are given, relative ones from the working directory. All functions let go of the
interpreter while they work. The digest and its encoding are specified in ``crates/weigh-digest/src/lib.rs``.
"""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, TypedDict

class DigestError(ValueError):
    """A file, a column or a stream cannot be digested. The message names it and says what is wrong."""

class NotReadError(DigestError):
    """A file may be sound, and has a form that weigh does not read: it is encrypted, or a column has such a type."""

class ArrowStream(Protocol):
    """What offers the Arrow PyCapsule stream interface: pyarrow's Table and RecordBatchReader, and others."""

    def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object: ...

class RowGroups(TypedDict):
    """Row groups of a file: how many, and the rows of the smallest and the largest."""

    count: int
    min_rows: int
    max_rows: int

class ColumnFacts(TypedDict):
    """One leaf column over all row groups of a file.

    ``codec`` joins several by commas; ``encodings`` is sorted and includes those of levels and dictionary
    pages. Sizes are bytes. The flags hold if they hold in every row group; ``page_checksums`` looks at the
    first page of each.
    """

    physical_type: str
    logical_type: str | None
    codec: str
    encodings: list[str]
    compressed_bytes: int
    uncompressed_bytes: int
    bloom_filter_bytes: int
    statistics: bool
    column_index: bool
    offset_index: bool
    page_checksums: bool

class ParquetFacts(TypedDict):
    """What a Parquet file says of itself.

    ``page_checksums`` and ``page_index`` hold if they do in every column.
    """

    rows: int
    row_groups: RowGroups
    created_by: str | None
    page_checksums: bool
    page_index: bool
    columns: dict[str, ColumnFacts]

class Diff(TypedDict):
    """Rows (duplicates counted) that only one of two tables has, and where some of them are.

    Places are pairs of the path and the number of the row in that file, counted from 0.
    """

    only_left: int
    only_right: int
    left_rows: list[tuple[str, int]]
    right_rows: list[tuple[str, int]]

def digest_parquet(paths: Sequence[str | PathLike[str]], columns: Sequence[str] | None = None, threads: int = 0) -> str:
    """Return the digest of the rows of all files together: ``x3s2:<rows>:<32 hex digits>``.

    Independent of the order of rows and of how the files encode them. Pages with checksums are checked.

    Args:
        paths: Parquet files of one table; none give the digest of no rows.
        columns: names of top-level columns in the order that they take in the digest; by default those of
            the first file, in its order, which every other file must have.
        threads: how many read row groups in parallel; 0 for one on each processor.

    Raises:
        NotReadError: a file, or a column of it, has a form that weigh does not read.
        DigestError: a file is missing, not Parquet or corrupt, or lacks a column.
    """

def digest_arrow(stream: ArrowStream, columns: Sequence[int] | None = None) -> str:
    """Return the digest of the rows of a stream of record batches, which it consumes.

    Args:
        stream: anything with ``__arrow_c_stream__``.
        columns: numbers of columns from 0, in the order that they take in the digest; by default all.

    Raises:
        NotReadError: the type of a column has no encoding.
        DigestError: the producer failed, or a column is out of range.
        AttributeError: the object has no ``__arrow_c_stream__``.
    """

def merge_digests(digests: Sequence[str]) -> str:
    """Return the digest of the rows of all parts together, given that of each; none give that of no rows.

    Raises:
        DigestError: one of them is not a digest of this scheme.
    """

def diff_parquet(
    left: Sequence[str | PathLike[str]],
    right: Sequence[str | PathLike[str]],
    columns: Sequence[str] | None = None,
    limit: int = 20,
) -> Diff:
    """Compare two tables as multisets of rows.

    Memory stays below 512 MB; the files are read once for every 3.6 million rows.

    Args:
        left: Parquet files of one table.
        right: Parquet files of the other.
        columns: names of the columns to compare, by default those of the first file of each side.
        limit: how many surplus rows of each side to locate.

    Raises:
        DigestError: as :func:`digest_parquet`.
    """

def parquet_facts(path: str | PathLike[str]) -> ParquetFacts:
    """Return what the footer of a Parquet file says, and whether its pages have checksums.

    Raises:
        NotReadError: it is encrypted.
        DigestError: the file is missing, or not a readable Parquet file.
    """

class BadPage(TypedDict):
    """A page that is not as it was written.

    ``row_group`` and ``page``, which is counted within column and row group, from 0; ``header`` is where its header
    begins in the file. ``stored`` and ``found`` are checksums, or ``reason`` says why it is no page.
    """

    row_group: int
    column: str
    page: int
    header: int
    stored: int | None
    found: int | None
    reason: str | None

class PageChecks(TypedDict):
    """The pages of a file: all, those with a checksum, bytes of all, and the bad ones, of which 1,000 are described.

    ``unpacked`` are the bytes of all before compression, as their headers say; ``largest`` is the page that has most of
    these: its column, its bytes in the file, and those before compression.
    """

    pages: int
    with_checksum: int
    bytes: int
    unpacked: int
    largest: tuple[str, int, int] | None
    bad_pages: int
    bad: list[BadPage]

class Page:
    """A page. Places and sizes are bytes.

    Attributes:
        kind: what is in it.
        version: of the header of a page of data, 1 or 2; 1 of others.
        encoding: of its values; ``another`` where the format has none of that number.
        values: how many, NULLs included.
        header: where its header begins in the file.
        contents: where its contents begin, right after the header.
        compressed: of its contents in the file.
        uncompressed: of its contents before compression.
        levels: at the beginning of its contents, never compressed.
        packed: whether the rest is compressed, where the column has a codec.
        checksum: CRC-32 of its contents; None without one.
    """

    kind: Literal["data", "dictionary", "other"]
    version: int
    encoding: str
    values: int
    header: int
    contents: int
    compressed: int
    uncompressed: int
    levels: int
    packed: bool
    checksum: int | None

class Chunk(TypedDict):
    """A column in a row group: where its first page begins in the file, and the bytes of all, headers included.

    ``statistics``: whether it has the smallest or the largest value, or the number of NULLs; ``page_index``: whether it
    has a column index and an offset index.
    """

    begin: int
    bytes: int
    statistics: bool
    page_index: bool

class RowGroup(TypedDict):
    """A row group: numbers of the columns by which it says to be sorted, and whether descending; a chunk a column."""

    rows: int
    order: list[tuple[int, bool]]
    chunks: list[Chunk]

class LeafColumn(TypedDict):
    """A column that has values: its dotted path, whether nothing of it may be NULL, its number if it has one."""

    name: str
    required: bool
    field_id: int | None

class Footer(TypedDict):
    """A footer: version of the format, columns, row groups, and names of what the writer keeps in the file besides."""

    version: int
    columns: list[LeafColumn]
    groups: list[RowGroup]
    keys: list[str]

def parquet_footer(path: str | PathLike[str]) -> Footer:
    """Return what the footer of a Parquet file says of how it is written.

    Raises:
        DigestError: as :func:`check_pages`.
    """

def check_pages(path: str | PathLike[str], threads: int = 0) -> PageChecks:
    """Compare every page of a Parquet file with its CRC-32, if it carries one. Nothing is decompressed.

    Args:
        path: the file.
        threads: how many check columns in parallel; 0 for one on each processor.

    Raises:
        NotReadError: it is encrypted.
        DigestError: the file is missing, not Parquet, or its columns overlap.
    """

def column_pages(path: str | PathLike[str], row_group: int, column: str, most: int = 1000) -> list[Page]:
    """Return the first pages of one column in one row group.

    Args:
        path: the file.
        row_group: counted from 0.
        column: its path, dotted where it is nested.
        most: how many pages.

    Raises:
        DigestError: as :func:`check_pages`; there is no such column, or a page header is none.
    """

def pages_between(path: str | PathLike[str], begin: int, end: int) -> list[Page]:
    """Return the pages between two places of a file, in order.

    Raises:
        DigestError: there is something else, or the file ends before.
    """

def hash_file(path: str | PathLike[str]) -> str:
    """Return the BLAKE3 hash of a file's contents, 64 hex digits.

    Raises:
        DigestError: the file cannot be read.
    """

def hash_bytes(data: bytes) -> str:
    """Return the BLAKE3 hash of ``data``, 64 hex digits."""

def decode_histogram(packed: bytes) -> tuple[bytes, bytes, bytes]:
    """Decode a histogram of the HdrHistogram format, version 2, compressed.

    Returns:
        of each bucket that holds something, ascending: its largest value, its middle, and how many values it has. They
        are little-endian words of 64 bits.

    Raises:
        ValueError: it is none, or damaged.
    """

class BatchMeans:
    """Means of consecutive batches of 1, 2, 4, 8, ... samples of one series (``crates/weigh-stats/src/lib.rs``).

    Memory grows with the logarithm of the number of samples.
    """

    def __init__(self) -> None: ...
    @property
    def count(self) -> int:
        """Number of samples."""

    def push(self, stream: ArrowStream) -> None:
        """Add samples at the end: one column of 64-bit floats, read where they are.

        Raises:
            ValueError: another type, a null, a number that is not finite. Nothing is added.
        """

    def merge(self, later: BatchMeans) -> None:
        """Add a later part of the same series."""

    def moments(self) -> list[tuple[int, int, float, float | None, float | None, float | None]]:
        """For each size: samples a batch, batches, their mean, variance, skewness, correlation of neighbours.

        The first, with batches of one sample, describes the samples themselves.
        """

    def batches(self, most: int) -> tuple[int, list[float]]:
        """Samples a batch, a power of two, and the means of no more than ``most`` (and 1,024) batches."""

class HostError(OSError):
    """Something of the machine cannot be read or done. The message says what and why."""

class Sampler:
    """A thread that reads the machine's counters (``crates/weigh-host/src/lib.rs``).

    This process and all its descendants are its own, all others foreign, kernel threads nobody's. The thread ends with
    the process, whatever ends that, and takes no signals.

    Args:
        hz: readings a second, from 0.1 to 1000; fewer where so many would cost more than 1 % of one core.
        began_monotonic: what ``time.monotonic()`` said when that began from which ``at`` counts.

    Raises:
        HostError: there is no thread to be had, or ``hz`` is out of range.
    """

    def __init__(self, hz: float, began_monotonic: float) -> None: ...
    def track(self, pid: int) -> None:
        """Count a process and its descendants as own from now on."""

    def mark(self) -> None:
        """End the current tick here; not where it would be shorter than a hundred times what reading costs."""

    def drain(self, thorough: bool = False) -> dict[str, Any]:
        """Hand out what was seen since the last call, as whole numbers (``weigh.evidence.timeline.Columns``).

        Args:
            thorough: look for new processes first, even where somebody has just done so; without it, what they used
                until they are found may come with the next call.

        Raises:
            HostError: the sampler has failed by a mistake of its own; all but ``stop`` say so from then on.
        """

    def stop(self) -> None:
        """End the thread. What it saw can still be drained."""

def resident(path: str | PathLike[str]) -> tuple[int, int, Literal["cachestat", "mincore"]]:
    """Return how many pages of a file are in memory, how many it has, and which system call told.

    Raises:
        HostError: it cannot be opened, or the kernel does not tell: ``mincore`` says that every page is resident to
            somebody who may not write the file.
    """

def evict(path: str | PathLike[str]) -> None:
    """Make a file durable and ask the kernel to forget its pages. Those that somebody has mapped stay.

    Raises:
        HostError: it cannot be opened or made durable.
    """

def calibrate_integer() -> float:
    """Return the seconds of a fixed number of steps that stay in the registers of one core, some 25 ms."""

def calibrate_memory() -> float:
    """Return the seconds of reading 64 MiB twice, some 20 ms."""

def calibrate_disk(folder: str | PathLike[str]) -> float:
    """Return the seconds of writing 4 MiB to a nameless file, making them durable, and reading them back.

    Raises:
        HostError: the folder cannot be written.
    """

class LoadError(Exception):
    """A run of load cannot begin or go on.

    Its text is one sentence with everything below but the remedy.

    Attributes:
        kind: ``setting`` (one cannot be used), ``script`` (one has a mistake), ``unreachable``, ``refused`` (the server
            answered with an error), ``tls``, ``protocol`` (it is no server of that kind), ``system`` (the kernel
            refused something, or the server hung up), ``interrupted`` (``on_progress`` ended the loading).
        code: SQLSTATE of PostgreSQL, name of SQLite's result, first word of a RESP error, or what rustls calls a
            certificate's error; empty where there is none.
        message: what is wrong, in the server's words where it has any, without the place in a script.
        statement: that could not be prepared, with ``$1`` and so on for variables.
        script, line, column: where in a script it is, counted from 1, as far as that is known.
        remedy: what to do, where that does not follow from kind and code.
    """

    kind: Literal["setting", "script", "unreachable", "refused", "tls", "protocol", "system", "interrupted"]
    code: str
    message: str
    statement: str | None
    script: str | None
    line: int | None
    column: int | None
    remedy: str | None

class Load:
    """Load on a schedule, offered by threads that never hold the interpreter (``crates/weigh-load/src/lib.rs``).

    Args:
        config: JSON of ``target``, ``workload``, ``arrivals``, ``duration_s``, ``connections``, ``threads``,
            ``max_in_flight``, ``timeout_s``, ``interval_s``, ``spin`` and ``share``
            (``crates/weigh-load/src/config.rs``).

    Raises:
        LoadError: the text says which setting cannot be, or where a script is wrong.
    """

    def __init__(self, config: str) -> None: ...
    def load(self, on_progress: Callable[[int, int], object] | None = None) -> LoadedRows:
        """Put the workload's data into the server, replacing what an earlier load put there.

        Args:
            on_progress: told the rows so far and all of them; what it raises ends the loading.

        Raises:
            LoadError: the server cannot be reached or refuses something, in its own words.
        """

    def start(self) -> float:
        """Open all connections, prepare all statements, and begin.

        Returns:
            seconds from now until the schedule begins.

        Raises:
            LoadError: the server cannot be reached or refuses the login or a statement; or it was started before.
        """

    def open(self) -> None:
        """The first half of :meth:`start`: open all connections, prepare all statements, and wait.

        Raises:
            LoadError: as :meth:`start`.
        """

    def begin(self, at: int | None = None) -> tuple[float, float]:
        """The other half: begin.

        Args:
            at: nanoseconds of the machine's monotonic clock (``time.monotonic_ns``); by default at once.

        Returns:
            seconds from now until the schedule begins, and by how many it begins later than ``at``.

        Raises:
            LoadError: no connections are open.
        """

    def written(self) -> str | None:
        """Return what the writes of a run that is over must have left, as JSON for :meth:`join_written`.

        None where the workload does not know that.
        """

    def join_written(self, writes: str) -> None:
        """Take in what another generator of the same load wrote: :meth:`examine` compares with that too.

        Raises:
            LoadError: it is no such JSON, or two generators wrote one key.
        """

    def poll(self) -> str:
        """Return the intervals that ended since the last call, as a JSON list; to be called about once an interval.

        Each has ``from_s``, ``to_s`` (the last one ends when the last answer came), ``operations``, ``in_flight``,
        ``queued`` (due and not sent) at its end, ``client_cpu_s`` and ``reconnects``. Each operation has ``count``
        (answered, other than by an error), ``errors``, ``timeouts``, ``missing``, ``wrong`` (the first of
        ``wrong_count``), ``overflows`` and histograms (HdrHistogram V2, compressed, base64, nanoseconds): ``response``
        and ``service`` of what was answered or timed out, ``failed`` (due to error), ``lag_free`` and ``lag_late`` of
        what was sent.
        """

    def is_over(self) -> bool:
        """Whether all threads have ended."""

    def hold(self) -> None:
        """Close all connections and send nothing more until :meth:`release`; what becomes due waits.

        What was in flight and not answered is of unknown outcome. To be called when the server has died; the run does
        not end meanwhile.
        """

    def is_held(self) -> bool:
        """Whether all threads have done so."""

    def release(self, stood_still: float) -> None:
        """Open the connections again and go on.

        Args:
            stood_still: seconds of the hold that do not count: what waits is due later by as much, and the run ends
                later.
        """

    def answered(self, patience: float) -> float:
        """Ask the server until it answers, over a connection of its own.

        Args:
            patience: seconds to go on asking.

        Returns:
            seconds until it did.

        Raises:
            LoadError: it did not; why the last attempt failed.
        """

    def examine(self) -> str | None:
        """Read everything back that the workload knows of, and compare it with what was acknowledged.

        Nothing may be in flight: before the run, in a hold, or after the end. What is not there is expected no more.

        Returns:
            JSON of ``unit`` (``writes`` or ``transactions``), ``rows`` (read), ``acknowledged``, ``lost`` (of these,
            neither there nor replaced), ``unanswered``, ``found`` (of these, there), ``missing`` (rows that had been
            there), ``torn`` (rows that hold what nobody wrote), ``strange`` (rows that nobody wrote) and ``said`` (the
            first of what is wrong); None of a workload that does not know what its writes leave behind.

        Raises:
            LoadError: the server cannot be reached, or refuses to be read.
        """

    def stop(self) -> None:
        """Send nothing more, and wait for answers no longer than half a second. From any thread, at any time."""

    def finish(self) -> str:
        """Wait for the end and return the summary as JSON. Intervals that were not polled can be polled afterwards.

        ``scheduled`` = ``sent`` + ``unsent``; ``sent`` = ``done`` + ``in_flight_at_end``, which only a stop leaves.
        ``max_queue`` adds the threads' longest queues. ``seconds`` end with the last answer, ``reconnect_s`` is the
        time that connections were missing, added up.

        Raises:
            LoadError: a thread could not go on.
        """

    def replayed(self) -> str | None:
        """Return what came of the statements of a recording when a run is over, once; None of other workloads.

        JSON, by the lines of the recording: ``sent`` and ``done`` (microseconds after the beginning), ``rows``
        (returned or changed), each -1 for what was not sent or failed; ``errors``: pairs of a line and a code;
        ``answers``: pairs of a line and an answer as of :meth:`ask`.
        """

    def account(self) -> str | None:
        """Return what a run of TPC-C that is over asked for, as JSON; None of another workload."""

    def write_history(self, path: str | PathLike[str]) -> bool:
        """Write what every transaction of a run that is over read and wrote, once.

        Args:
            path: of the file, which is made: lines of JSON in Elle's form, compressed by gzip.

        Returns:
            Whether this load writes it down.

        Raises:
            LoadError: the file cannot be written.
        """

    def statements(self) -> str:
        """Return the statements of the scripts as JSON, in order: ``script``, ``line`` (from 1), ``text``."""

    def ask(self, sets: int) -> str:
        """Ask every statement of the scripts with so many sets of parameters over one connection, and roll it back.

        The parameters follow from the seed, and are others than those of the run. What the scripts say of transactions
        is left out, and an error ends one run of its script.

        Returns:
            JSON of a list: ``script``, ``line``, ``set`` (from 1), ``statement`` and ``parameters`` (text) as they were
            sent, ``answer``: its ``kind`` is ``rows`` (``columns`` with ``name`` and ``oid``, ``rows`` of text,
            ``count``, and a ``digest`` instead of more than 64 KiB), ``count`` or ``error`` (``code``, ``text``).

        Raises:
            LoadError: the server cannot be reached, refuses the login or a statement, or does not answer.
        """

    def ask_again(self) -> str:
        """Ask again what was kept of a run that is over (``samples`` of the workload), twice, over one connection.

        Returns:
            JSON of a list as of :meth:`ask`, with ``again``: a list of answers; 4 KiB of each are kept.

        Raises:
            LoadError: as of :meth:`ask`.
        """

    def read_back(self, most: int, seconds: float) -> str:
        """Read at most so many keys of YCSB when a run is over, for no longer than that: first those that it wrote.

        Returns:
            JSON of ``written`` (keys that the run wrote or inserted, and that must be there), ``read``,
            ``read_written``, ``right``, ``wrong``, ``missing``, ``failed`` and ``texts``; null for scripts.

        Raises:
            LoadError: as of :meth:`ask`.
        """

def describe_sqlite(target: str) -> str:
    """Open an SQLite database as a load does, and have it describe itself by the library that the load uses.

    Args:
        target: JSON of ``kind`` (``sqlite``), ``path`` and ``settings``, as in the configuration of a :class:`Load`.

    Returns:
        JSON of ``version``, ``compiled`` (``PRAGMA compile_options``), ``settings`` (name -> text as it reads now; None
        where SQLite knows no such setting) and ``empty`` (no tables).

    Raises:
        LoadError: it cannot be opened, is no database, or a setting cannot be written so.
    """

class LoadLink:
    """A link between a load and its server, which can be cut and made slow (``crates/weigh-load/src/link.rs``).

    Args:
        target: JSON of the server, as ``target`` of :class:`Load`.
        folder: where a Unix socket is made, to stand before one.

    Raises:
        LoadError: the server is not found, or nobody may listen there.
    """

    def __init__(self, target: str, folder: str) -> None: ...
    @property
    def port(self) -> int | None:
        """Of the loopback, where it listens; None where that is a path."""

    @property
    def path(self) -> str | None:
        """Of the Unix socket, likewise."""

    def cut(self, cut: bool) -> None:
        """Let nothing pass, or everything again; what came meanwhile has waited."""

    def delay(self, seconds: float) -> None:
        """Have everything take so much longer, each way."""

    def close(self) -> None:
        """Close every connection, and listen no more."""

def execute(target: str, statement: str) -> None:
    """Execute a statement, or of a key-value store a command, on a connection of its own; its rows are thrown away.

    Args:
        target: JSON of the server, as ``target`` of :class:`Load`.
        statement: one.

    Raises:
        LoadError: the server cannot be reached, or refuses it.
    """

class LoadedRows(TypedDict):
    """What was loaded, and how long that took."""

    rows: int
    seconds: float

def merge_intervals(intervals: list[str]) -> str:
    """Merge one interval of several generators, as :meth:`Load.poll` lists them: counts and histograms add up.

    Raises:
        LoadError: one is none, or its histograms are of another form.
    """

def merge_journals(
    journals: Sequence[str | PathLike[str]], run: int, each: int, take: Callable[[list[str]], object]
) -> str:
    """Merge the journals of the generators of one load, in the memory of a few intervals of each.

    Args:
        journals: one file of each generator.
        run: number of the run.
        each: intervals that follow each other and make a part.
        take: gets merged intervals, each as JSON, in order; what it raises ends the merging.

    Returns:
        JSON: of each generator a list of parts, with ``from_s``, ``to_s``, ``count``, ``failed``, ``client_cpu_s``,
        ``queued`` and the histograms ``response`` and ``lag_late`` of all its operations.

    Raises:
        LoadError: a file cannot be read, or an interval in it is damaged.
    """

def ycsb_keys(core: str, records: int, seed: int, count: int) -> list[tuple[int, int]]:
    """Draw the first keys that one thread of a YCSB workload asks for, if every insert succeeds at once.

    Args:
        core: JSON: the letter of one of the six, or what a workload of properties is made of.
        records: rows that were loaded.
        seed: names the numbers.
        count: how many operations.

    Returns:
        for each operation the number of its key, and its rows: 1 for a read or an update, 0 for an insert, the length
        for a scan.

    Raises:
        LoadError: there is no such workload, or no records.
    """

class StoreError(Exception):
    """A store could not be used. The message says where and why, and holds no key.

    ``kind`` is ``config``, ``endpoint``, ``unreachable``, ``refused``, ``file``, ``tls`` or ``system``. Of a refusal
    ``status`` is that of HTTP, and ``code`` the store's word (``NoSuchBucket``), empty where it has none.
    """

    kind: str
    status: int | None
    code: str

class StoreTally(TypedDict):
    """What a life asked of a store in a while; its fields are those of ``weigh.model.data.store.Requests``."""

    gets: int
    heads: int
    failed: int
    bytes: int
    request_s: float
    busy_s: float
    peak: int

class StoreProxy:
    """Listens on loopback between engines and a store until it is stopped, and counts what each life asks for.

    The configuration is JSON, ``crates/weigh-store/src/config.rs``. ``authority`` is the PEM of whoever signed its
    certificate; None without TLS.

    Raises:
        StoreError: the configuration, the endpoint or an authority is none, or nothing can listen.
    """

    def __init__(self, config: str, /) -> None: ...
    @property
    def port(self) -> int: ...
    @property
    def authority(self) -> str | None: ...
    def admit(self, access_key: str, root: str) -> None:
        """Know a life by its access key from now on. Its key ``a`` is the key ``ROOTa`` in the store."""

    def point(self, access_key: str, root: str) -> None:
        """From now on its keys lead to what lies behind another root."""

    def dismiss(self, access_key: str) -> None:
        """Know it no more."""

    def take(self, access_key: str) -> StoreTally | None:
        """Return what a life asked for since the last call; None of one that is not known."""

    def withdraw(self, withdrawn: bool) -> None:
        """Answer as if there were no objects, or no longer do so."""

    def stop(self) -> None:
        """End all connections, and listen no more."""

class StoreClient:
    """Puts objects into one bucket and reads them back. ``target`` is JSON, ``crates/weigh-store/src/config.rs``.

    Raises:
        StoreError: the endpoint or an authority is none; by its methods, what the store says, or that it says nothing.
    """

    def __init__(self, target: str, /) -> None: ...
    def check(self) -> None:
        """Raise where the bucket is not there or may not be listed."""

    def make_bucket(self) -> None:
        """Make the bucket."""

    def put(self, path: str | PathLike[str], key: str, *, new: bool = False) -> bool:
        """Put a file of at most 5 GiB under a key, with ``new`` only where nothing is there; whether it was put."""

    def get(self, key: str, path: str | PathLike[str]) -> bool:
        """Copy an object into a file, which is made or replaced; whether there is such an object."""

    def hash(self, key: str) -> tuple[int, str] | None:
        """Read an object: its size, and BLAKE3 as 64 hex digits; None where there is none."""

    def size(self, key: str) -> int | None:
        """Return the size of an object; None where there is none."""

    def remove(self, key: str) -> None:
        """Remove an object, if there is one."""

    def stat(self, key: str) -> tuple[int, str] | None:
        """Return the size of an object, and the store's own checksum of it (``ETag``); None where there is none."""

def check_history(path: str | PathLike[str]) -> str:
    """What a history shows (``crates/weigh-isolation/src/report.rs``), as JSON; the same history shows the same.

    Args:
        path: of a file that :meth:`Load.write_history` wrote.

    Raises:
        ValueError: it cannot be read, or is no history.
    """
