/**
 * Intervals, sizes and counts that several places must agree on. Times end in `Ms`, sizes in `Bytes`. Numbers of the
 * product specification are defined only here.
 */
export const limits = {
  /** Names, passwords and addresses. */
  usernameMax: 100,
  passwordMin: 8,
  passwordMax: 255,
  emailMax: 255,
  serverNameMax: 40,
  /** Users of a new server. */
  newServerUsers: 1_000,
  tagMax: 24,
  tagsPerServer: 10,

  /** Lists. */
  pageSize: 10,
  pageSizeMax: 100,
  /** Search text of the server list. */
  serverQueryMax: 100,

  /** Sessions: extended on use, and in the background by the browser. */
  sessionLifeMs: 24 * 60 * 60 * 1000,
  reauthEveryMs: 600_000,

  /** The panel's signed ticket for one request to a node. */
  ticketLifeMs: 60_000,
  clockSkewMs: 30_000,

  /** Live socket, as in the specification. */
  socketRetries: 5,
  socketRetryBaseMs: 500,
  socketRetryStepMs: 500,
  socketRetryResetMs: 30_000,
  socketPingEveryMs: 30_000,
  socketFrameBytes: 64 * 1024,
  /** Interval of re-authorization of open sockets, so that a revoked one ends within 5 s. */
  socketRecheckMs: 3_000,

  /** Console. */
  consoleBufferBytes: 4_194_304,
  consoleKeptBytes: 2_097_152,
  consoleRefreshMs: 500,
  consolePollMs: 5_000,
  consoleFlushBytes: 65_536,
  consoleFlushMs: 33,
  consoleLogFileBytes: 4_194_304,
  consoleLogFiles: 16,
  /** A log file is deleted when nothing was written to it for this long. */
  consoleLogKeptMs: 90 * 24 * 60 * 60 * 1000,
  /** History: size of a page, and limits of a search. */
  consolePageBytes: 262_144,
  consoleSearchResults: 200,
  consoleSearchMs: 2_000,
  consoleSearchTextMax: 200,
  /** Longer lines are searched and returned in parts of this size. */
  consoleLineBytes: 4_096,
  /** Maximum length of a message of the daemon on a console. */
  consoleMessageChars: 65_536,
  /** Unsent bytes of a slow viewer before output is skipped with a gap marker. */
  viewerBacklogBytes: 1_048_576,
  /** Output is delayed for slow viewers for this long in each period, then they skip. */
  consoleHoldMs: 250,
  consoleHoldEveryMs: 1_000,
  commandBytes: 8_192,

  /** Terminal size: the accepted range. */
  terminalColsMin: 20,
  terminalColsMax: 500,
  terminalRowsMin: 5,
  terminalRowsMax: 200,
  /** Minimum interval between changes of a terminal's size. */
  terminalResizeMs: 100,
  /** Maximum input of one message to a terminal, in UTF-16 code units. */
  terminalInputLength: 8_192,

  /** Statistics. */
  statsEveryMs: 3_000,
  /** Polling of status and usage of the visible servers in lists. */
  usageEveryMs: 4_000,
  statsPoints: 40,
  /** Processes whose statistics are read through an open file descriptor; more processes cost a little more CPU. */
  statsDescriptors: 1_000,

  /** Lifecycle of a server. */
  restartDelayMs: 1_000,
  /** Timeout of `wait` for start, stop, restart, kill and install; the action continues. */
  powerWaitMs: 60_000,
  /** Autostart: the next server starts when this share of CPU time is idle, checked at this interval. */
  autostartIdleShare: 0.2,
  autostartCheckMs: 100,
  /** Maximum delay of one autostart. */
  autostartMaxDelayMs: 3_000,
  crashLimit: 3,
  crashWithinMs: 60_000,
  crashBackoffMs: [1_000, 5_000, 15_000],
  killWithinMs: 2_000,
  /** A running server that printed no line matching its ready pattern counts as online after this time. */
  readyWithinMs: 30 * 60 * 1000,
  /** Default limit of processes and threads of a server: enough for any game, too few for a fork bomb. */
  serverProcesses: 4_096,
  /** Output can arrive after the exit; reading ends after this idle time. */
  outputAfterExitMs: 200,

  /** Request bodies. */
  definitionBytes: 4_194_304,
  bodyBytes: 1_048_576,
  editableFileBytes: 20_971_520,
  /** Maximum size of a file that is sent over a live socket; larger ones are downloaded. */
  liveContentsBytes: 1024 * 1024,
  /** Maximum response about files over a live socket, and the maximum frame: such a response and some overhead. */
  liveResponseBytes: 8 * 1024 * 1024,
  liveFrameBytes: 9 * 1024 * 1024,
  /**
   * Concurrent file responses over live sockets that wait for slow viewers, one per user, and the timeout of those in
   * the queue.
   */
  liveResponsesAtOnce: 8,
  liveResponseWaitMs: 5_000,
  /** Larger images are downloaded instead of previewed, because a page holds the whole image in memory. */
  previewBytes: 64 * 1024 ** 2,

  /** Length of paths in UTF-8 bytes; a name is one segment. */
  pathBytes: 4_096,
  nameBytes: 255,
  /** Request line and headers: the URL, which a ticket to a node repeats. */
  headBytes: 64 * 1024,
  /** Symbolic links followed when resolving one path in a server's folder. */
  linksFollowed: 16,

  /** File jobs of a server: paths per job, concurrent and queued jobs, and how long a finished job is listed. */
  pathsPerJob: 1_000,
  fileJobsAtOnce: 2,
  fileJobsWaiting: 20,
  fileJobKeptMs: 10 * 60 * 1000,
  /** Polling of file jobs: right after the start, while one runs, and otherwise, for jobs of other users. */
  fileJobsFirstMs: 250,
  fileJobsEveryMs: 1_000,
  fileJobsIdleMs: 10_000,
  searchResults: 500,
  searchMs: 5_000,
  /** Concurrent searches and streamed zips: per server, and per node. */
  searchesAtOnce: 2,
  searchesAtOnceOnNode: 8,
  zipsAtOnce: 2,
  zipsAtOnceOnNode: 16,
  diskUsageEveryMs: 60_000,
  diskUsageWaitMs: 5_000,

  /** Buffers of file transfers; at most two of the first and seven of the second are in use. */
  fileReadBytes: 512 * 1024,
  fileWriteBytes: 1024 * 1024,
  /** A file is flushed to disk in parts of this size while it is written. */
  fileFlushBytes: 32 * 1024 ** 2,

  /** Uploads, and the lifetime of incomplete ones. */
  uploadBytes: 256 * 1024 ** 3,
  uploadsPerServer: 100,
  uploadSweepEveryMs: 60 * 60 * 1000,
  /** A completed upload is remembered for this long, for clients that missed the response. */
  uploadDoneKeptMs: 60 * 60 * 1000,
  uploadKeptMs: 7 * 24 * 60 * 60 * 1000,
  /** Upload requests of a browser: a file up to the first size in one request, a larger one in chunks of the second. */
  uploadWholeBytes: 8 * 1024 ** 2,
  uploadPieceBytes: 32 * 1024 ** 2,
  /** Backoff of upload retries, the last one repeated, and the time after which the upload fails. */
  uploadRetryMs: [1_000, 2_000, 5_000, 10_000, 30_000],
  uploadGiveUpMs: 10 * 60 * 1000,
  /** Interval of progress updates, and the window of the average speed. */
  uploadProgressMs: 250,
  uploadPaceMs: 3_000,
  /** An upload with progress within this time is active in another tab. */
  uploadActiveMs: 60_000,
  /** Lifetime of a download link. */
  downloadTicketMs: 60_000,

  /** Extraction limits: bytes, entries, depth, and compression ratio of archives from a minimum size. */
  archiveBytes: 256 * 1024 ** 3,
  archiveEntries: 1_000_000,
  archiveDepth: 100,
  archiveRatio: 1_000,
  archiveRatioFromBytes: 256 * 1024 ** 2,
  archiveMs: 6 * 60 * 60 * 1000,
  /** Memory of 7-Zip for one archive, and its threads. */
  archiveMemoryBytes: 640 * 1024 ** 2,
  sevenZipThreads: 2,
  /** Compression threads for all archives together. */
  deflateThreads: 4,
  skippedShown: 20,

  /** SFTP: login timeout, login attempts, and limits of sessions and handles. */
  sftpLoginMs: 60_000,
  sftpLoginAttempts: 6,
  sftpIdleMs: 30 * 60 * 1000,
  sftpSessions: 1_000,
  sftpSessionsPerUser: 32,
  sftpHandles: 256,
  /** Connections in all, and per address, including those not logged in. */
  sftpConnections: 2_000,
  sftpConnectionsPerAddress: 64,
  /** Sessions continue for this long while no panel responds, then they end. */
  sftpUnconfirmedMs: 60_000,

  /** Downloads of install steps. */
  downloadBytes: 64 * 1024 ** 3,
  downloadIdleMs: 60_000,
  downloadTotalMs: 6 * 60 * 60 * 1000,
  downloadRedirects: 5,
  downloadAttempts: 3,
  downloadRetryMs: 500,
  downloadConnectMs: 10_000,
  /** Size of the download cache; only downloads with a known checksum are cached. */
  downloadCacheBytes: 20 * 1024 ** 3,
  /** Cached downloads that were not used for this long are deleted. */
  downloadCacheKeptMs: 90 * 24 * 60 * 60 * 1000,
  /**
   * Runtime store (Java and similar): above this size unused runtimes are deleted, oldest first; unused ones are
   * deleted after this time in any case.
   */
  runtimesBytes: 10 * 1024 ** 3,
  runtimesKeptMs: 30 * 24 * 60 * 60 * 1000,
  /** A runtime that was requested recently may not be on the PATH of its server yet, and is kept. */
  runtimeFreshMs: 24 * 60 * 60 * 1000,
  /** Interval of the cleanup of both. */
  cacheCleanupEveryMs: 60 * 60 * 1000,
  /** Metadata from external services. */
  upstreamResponseBytes: 64 * 1024 ** 2,
  upstreamTimeoutMs: 120_000,
  /** Maximum duration of a `sleep` step. */
  sleepMs: 24 * 60 * 60 * 1000,
  /** Progress on the console: at most once in the first interval, and at least every 10 % or once in the second. */
  downloadProgressMs: 2_000,
  downloadProgressMaxMs: 10_000,

  /** Docker Engine: interval of availability checks, and timeouts of ping, requests, container start and reconnect. */
  dockerCheckEveryMs: 2_000,
  dockerPingMs: 1_000,
  dockerCallMs: 10_000,
  dockerStartMs: 60_000,
  dockerReconnectMs: 30_000,
  dockerRetryMs: 1_000,
  /** Docker may record an OOM kill this much later than the exit of the container. */
  dockerOutOfMemoryMs: 300,
  /** An image pull without progress fails after this time. */
  dockerPullIdleMs: 120_000,
  /** Buffered container output that is not stored yet, and buffered input. */
  dockerOutputBufferBytes: 1_048_576,
  dockerInputBufferBytes: 1_048_576,
  /** Docker's log of a container, from which output is recovered after a restart of the daemon. */
  dockerLogFileBytes: 16_777_216,
  dockerLogFiles: 4,
  /** Distance from the end at which the position in Docker's log is saved, and the interval. */
  dockerAnchorBytes: 1_048_576,
  dockerAnchorMs: 5_000,

  /** Tasks of a server. */
  tasksPerServer: 100,
  taskNameMax: 100,
  taskSteps: 100,
  /** Minimum interval of a schedule, except for administrators. */
  scheduleIntervalMs: 10_000,
  /**
   * Rate of runs of a server by schedule and console lines; more are skipped, and the warning is shown for the given
   * time.
   */
  automaticRuns: { burst: 60, perSecond: 1 },
  automaticRunsWarningMs: 600_000,
  taskBytes: 16 * 1024,
  taskTriggers: 10,
  tasksAtOnce: 5,
  /** Of these, per server: a task that sleeps for hours must not block other servers. */
  tasksAtOncePerServer: 2,
  /** Timeout of a run, and of a step that waits for a server to start or stop. */
  taskRunMs: 6 * 60 * 60 * 1000,
  taskPowerMs: 10 * 60 * 1000,
  /** Interval of checks for changes of the system clock. */
  taskClockCheckMs: 30_000,
  /** A run that is late by more than this was missed. */
  taskLateMs: 60_000,
  /** When the clock was set back by more than this it had been wrong before, and scheduled times run again. */
  taskStepBackMs: 24 * 60 * 60 * 1000,
  /** Stored history of each task: runs, output lines of a run, total size and line length. */
  taskRunsKept: 50,
  taskRunLines: 200,
  taskRunsBytes: 1_048_576,
  taskRunLineBytes: 1_000,
  /** Timeout of requests to the panel for permissions of users; while no panel responds, the last known ones apply. */
  taskPermissionsMs: 5_000,
  taskUsersPerRequest: 1_000,
  taskPermissionsRetryMs: 500,
  /** Minimum interval between triggers by console lines. */
  taskEventEveryMs: 1_000,
  /** Output within this time after a task typed a command counts as its response, and triggers no task. */
  taskEchoMs: 5_000,
  /** Events within this time after a start by a task count as caused by it. */
  taskOwnStartMs: 120_000,
  /** Polling of tasks: while one runs, and otherwise, for triggers. */
  tasksEveryMs: 1_000,
  tasksIdleMs: 10_000,

  /** Length of regular expressions for console lines. */
  patternMax: 500,
  /** Matching of console output: batch size, timeout of a batch, and queued bytes. */
  patternBytes: 65_536,
  patternMs: 2_000,
  /** Multiple of that timeout until a busy machine must have started the match. */
  patternStartTimeouts: 15,
  patternQueueBytes: 1_048_576,
  /** After this many patterns of a server timed out within an hour, all of its patterns are disabled. */
  slowPatterns: 3,
  slowPatternsWithinMs: 60 * 60 * 1000,

  /** Backups: length of a note, command lines and patterns of a definition, jobs of a server that wait. */
  backupNameMax: 200,
  backupLines: 100,
  backupJobsWaiting: 10,
  /** The highest number of backups that a rule of retention keeps. */
  backupsKept: 1_000,
  /** How long an ended job is listed. */
  backupJobKeptMs: 10 * 60 * 1000,
  /** Timeout of a job, of a short command on the repository, and of the end of a cancelled one. */
  backupMs: 12 * 60 * 60 * 1000,
  backupCommandMs: 10 * 60 * 1000,
  backupCancelMs: 10_000,
  /** How much a verification restores of a larger backup: bytes and files. */
  backupVerifyBytes: 256 * 1024 ** 2,
  backupVerifyFiles: 200,
  /** The last lines of an error, and the size of `.innkeeperignore`. */
  backupErrorBytes: 4_096,
  backupIgnoreBytes: 64 * 1024,
  /** Concurrent listings and downloads of a node. */
  backupReadsAtOnce: 4,
  /** Polling: while a job runs, and otherwise. */
  backupJobsEveryMs: 1_000,
  backupJobsIdleMs: 10_000,

  /** Timeout of one search and replace of an `alterfile` step. */
  alterFileMs: 5_000,

  /**
   * Nodes: report interval, and the silence after which one is displayed as offline; with the polling of a page within
   * 15 s.
   */
  nodeReportEveryMs: 3_000,
  nodeOfflineMs: 10_000,
  /** Delay of the report after a change of a server's state, to combine changes. */
  nodeReportDelayMs: 250,
  /** Backoff of a node that cannot join: doubles from the first to the second value. */
  nodeEnrolMs: 1_000,
  nodeEnrolMaxMs: 30_000,
  /** Maximum number of ports in use that a node reports. */
  portsInUse: 10_000,

  /** Requests between panel and node. */
  nodeCallMs: 10_000,
  nodeUsageMs: 2_000,
  /** Idle timeout of a stream from a node. */
  nodeStreamIdleMs: 60_000,
  /**
   * After a request was rejected in the middle of its body, the rest is read for this long, so that the response
   * arrives.
   */
  lingerMs: 3_000,

  /** Graceful shutdown of the program. */
  shutdownMs: 15_000,
  /** Part of it for requests in progress. */
  requestsEndMs: 5_000,

  /** Mail: polling interval of the queue. */
  mailEveryMs: 5_000,

  /** Audit log: retention, and deletion of old entries. */
  activityKeptMs: 90 * 24 * 60 * 60 * 1000,

  /** Timeout of loading the code of a view. */
  viewLoadMs: 120_000,

  /** Toasts and other messages. */
  toastMs: 2_500,
  errorToastMs: 6_000,
  copiedMs: 6_000,
} as const
