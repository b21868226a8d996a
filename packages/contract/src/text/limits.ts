/**
 * Intervals, sizes and counts that several packages must agree on; any other is beside the code that uses it. Times end
 * in `Ms`, sizes in `Bytes`.
 */
export const limits = {
  /** Files and folders of a server that is moved to another node. */
  movedEntries: 2_000_000,
  /** Names, passwords and addresses. */
  usernameMax: 100,
  passwordMin: 8,
  passwordMax: 255,
  emailMax: 255,
  /** Providers of OpenID Connect, and identities of a user there. */
  oidcProviders: 20,
  identities: 20,
  serverNameMax: 100,
  /** Users of a new server. */
  newServerUsers: 1_000,
  tagMax: 24,
  tagsPerServer: 10,
  /** Length of the reason of a suspension. */
  suspensionReasonMax: 500,
  /** Ports of a server of a plan. */
  planPorts: 32,
  /** Ports of a server that its users may take. */
  extraPorts: 100,
  extraPortNoteMax: 100,
  /** Days that the server of an order is kept after its end. */
  graceDaysMax: 365,

  /** Lists. */
  pageSize: 10,
  pageSizeMax: 100,
  /** Name or address of a user to find, with `*` before and after it. */
  userQueryMax: 257,
  /** Search text of the server list. */
  serverQueryMax: 100,

  /** Lifetime of a session; extended on use, and in the background by the browser. */
  sessionLifeMs: 24 * 60 * 60 * 1000,

  /** The panel's signed ticket for one request to a node. */
  ticketLifeMs: 60_000,
  /** A session of a panel with a node; then it opens another. */
  nodeSessionMs: 300_000,
  clockSkewMs: 30_000,

  /** Live socket, as in the specification. */
  socketRetryBaseMs: 500,
  socketPingEveryMs: 30_000,
  socketFrameBytes: 64 * 1024,
  /** Interval of re-authorization of open sockets, so that a revoked one ends within 5 s. */
  socketRecheckMs: 3_000,

  /** Console history: size of a page, and length of the searched text. */
  consolePageBytes: 262_144,
  consoleSearchTextMax: 200,
  /** Unsent bytes of a slow viewer before output is skipped with a gap marker. */
  viewerBacklogBytes: 1_048_576,
  commandBytes: 8_192,

  /** Terminal size: the accepted range. */
  terminalColsMin: 20,
  terminalColsMax: 500,
  terminalRowsMin: 5,
  terminalRowsMax: 200,
  /** Maximum input of one message to a terminal, in UTF-16 code units. */
  terminalInputLength: 8_192,

  /** Statistics. */
  statsEveryMs: 3_000,
  /** Polling of status and usage of the visible servers in lists. */
  usageEveryMs: 4_000,
  /** Timeout of `wait` for start, stop, restart, kill and install; the action continues. */
  powerWaitMs: 60_000,

  /** Definitions: steps of a list, and variables. The largest known template has 82 variables. */
  stepsPerList: 300,
  variablesPerDefinition: 500,

  /** Request bodies. */
  definitionBytes: 4_194_304,
  /** Of YAML that comes from outside: the parser needs seconds for a hostile text of this size. */
  yamlBytes: 524_288,
  bodyBytes: 1_048_576,
  editableFileBytes: 20_971_520,
  /** Maximum response about files over a live socket, and the maximum frame: such a response and some overhead. */
  liveResponseBytes: 8 * 1024 * 1024,
  liveFrameBytes: 9 * 1024 * 1024,

  /** Length of paths in UTF-8 bytes; a name is one segment. */
  pathBytes: 4_096,
  nameBytes: 255,
  /** Request line and headers: the URL, which a ticket to a node repeats. */
  headBytes: 64 * 1024,

  /** File jobs: paths per job. */
  pathsPerJob: 1_000,
  /** Disk usage: interval of measurements, and how long a request waits for the first one. */
  diskUsageEveryMs: 60_000,
  diskUsageWaitMs: 5_000,

  /** Incomplete uploads of a server, and their lifetime. */
  uploadsPerServer: 100,
  uploadKeptMs: 7 * 24 * 60 * 60 * 1000,
  /** Lifetime of a download link. */
  downloadTicketMs: 60_000,

  /** SFTP sessions of a node. */
  sftpSessions: 1_000,

  /** Tasks of a server. */
  taskNameMax: 100,
  taskSteps: 100,
  taskTriggers: 10,
  /** Stored runs of each task. */
  taskRunsKept: 50,
  /** Users per request of a node for permissions. */
  taskUsersPerRequest: 1_000,

  /** Length of regular expressions for console lines. */
  patternMax: 500,

  /** Backups: length of a note, command lines and patterns of a definition. */
  backupNameMax: 200,
  backupLines: 100,
  /** The highest number of backups that a rule of retention keeps. */
  backupsKept: 1_000,
  /** Targets of a node, length of their names, other texts, and keys and certificates. */
  backupTargets: 10,
  backupTargetNameMax: 60,
  backupTargetText: 500,
  backupTargetKey: 16_384,

  /**
   * Nodes: report interval, and the silence after which one is displayed as offline; with the polling of a page within
   * 15 s.
   */
  nodeReportEveryMs: 4_000,
  nodeOfflineMs: 10_000,

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

  /** Alerts: polling interval of conditions and of the queue. */
  alertEveryMs: 5_000,
  alertChannels: 50,
  alertChannelsPerServer: 10,
  /** Length of a reason. */
  alertDetailMax: 500,
  /** Free space in percent below which the disk of a node counts as full; channels may have another value. */
  diskFullPercent: 5,
  nodeEventsPerReport: 100,
  /** Changes of files over SFTP. */
  fileChangesPerReport: 100,
  /** One for each channel of administrators and of the server, for each of the alerts that a recovery ends. */
  nodeDeliveriesPerEvent: 200,

  /** Audit log: retention. */
  activityKeptMs: 90 * 24 * 60 * 60 * 1000,
} as const
