/**
 * Every interval, size and count that more than one place must agree on, by name.
 * Times end in `Ms`, sizes in `Bytes`. Where the product specification fixes a number, it is here and nowhere else.
 */
export const limits = {
  /** Names, passwords and addresses people choose. */
  usernameMin: 3,
  usernameMax: 100,
  passwordMin: 8,
  passwordMax: 255,
  emailMax: 255,
  serverNameMax: 40,
  /** Users that a new server is created with. */
  newServerUsers: 1_000,
  tagMax: 24,
  tagsPerServer: 10,

  /** Lists. */
  pageSize: 10,
  pageSizeMax: 100,
  /** The text that the list of servers is filtered by. */
  serverQueryMax: 100,
  /** The tags that the list of servers offers to filter by: the most used ones. */
  tagsOffered: 200,

  /** Sessions: renewed by use, and silently by the browser. */
  sessionLifeMs: 24 * 60 * 60 * 1000,
  reauthEveryMs: 600_000,
  /** A login this recent stands in for the password where that is asked once more. */
  recentLoginMs: 600_000,
  /** A revoked session may still be believed for this long by a replica that cached it. */
  sessionCacheMs: 1_000,

  /** Wrong tries at logging in or setting up, before the sender has to wait for the end of the window. */
  loginTries: 10,
  loginTriesPerAddress: 100,
  loginWindowMs: 300_000,
  /** Wrong passwords for one account from addresses that it never logged in from, and how long an address stays known. */
  loginTriesPerAccount: 50,
  knownAddressMs: 30 * 24 * 60 * 60 * 1000,
  /** Wrong passwords and keys that one node may ask about: what it says of addresses may be wrong. */
  loginTriesPerNode: 1_000,
  /** New accounts that one address may register within a window. */
  registrations: 10,
  /** Names for servers that one person may find taken within a window: they may be those of servers that they cannot see. */
  takenServerNames: 10,

  /** Two-factor: a pending login, and wrong codes for it, for one account from one address, and from anywhere. */
  pendingLoginMs: 300_000,
  otpTries: 5,
  otpTriesPerAccount: 100,
  /** Wrong codes of an account in a row, however long it takes: with the first number its owner gets a mail, with the second codes are accepted no longer. */
  otpWrongToMail: 5,
  otpWrongToLock: 50,
  recoveryCodes: 10,

  /** OAuth2 clients of one person, for the account or for one server, and the life of a client's token. */
  clientsPerOwner: 50,
  clientTokenLifeMs: 3_600_000,

  /** The panel's signed ticket for one request to a node. */
  ticketLifeMs: 60_000,
  clockSkewMs: 30_000,

  /** Live socket, as the specification has it. */
  socketRetries: 5,
  socketRetryBaseMs: 500,
  socketRetryStepMs: 500,
  socketRetryResetMs: 30_000,
  socketPingEveryMs: 30_000,
  socketFrameBytes: 64 * 1024,
  /** Rights on an open socket are asked for again this often, so that a revoked one ends within 5 s. */
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
  /** A file of the log goes when nothing was added to it for this long. */
  consoleLogKeptMs: 90 * 24 * 60 * 60 * 1000,
  /** Looking back: what one page holds, and how much one search may find and how long it may take. */
  consolePageBytes: 262_144,
  consoleFound: 200,
  consoleSearchMs: 2_000,
  consoleSearchText: 200,
  /** Longer lines are looked through, and found, in parts of this size. */
  consoleLineBytes: 4_096,
  /** The most that the daemon writes to a console at once in its own name. */
  consoleMessageChars: 65_536,
  /** How many unsent bytes a slow viewer may hold before it skips ahead with a gap marker. */
  viewerBacklogBytes: 1_048_576,
  /** A burst that viewers cannot follow is held for this long in every second, then they skip. */
  consoleHoldMs: 250,
  consoleHoldEveryMs: 1_000,
  commandBytes: 8_192,

  /** The terminal of a server: its size while no viewer has set one, and what a viewer may set. */
  terminalCols: 120,
  terminalRows: 30,
  terminalColsMin: 20,
  terminalColsMax: 500,
  terminalRowsMin: 5,
  terminalRowsMax: 200,
  /** The size of a terminal changes at most this often. */
  terminalResizeMs: 100,
  /** The most that one message types into a terminal, in UTF-16 code units. */
  terminalInputLength: 8_192,

  /** Statistics. */
  statsEveryMs: 3_000,
  /** Lists ask for the status and usage of the servers in view. */
  usageEveryMs: 4_000,
  statsPoints: 40,
  /** Processes whose figures are read through a descriptor that stays open; further ones cost a little more. */
  statsDescriptors: 1_000,

  /** The life of a server. */
  restartDelayMs: 1_000,
  /** Who waits for the end of a start, stop, restart, kill or install waits this long; it goes on all the same. */
  powerWaitMs: 60_000,
  /** Servers that start with the node: the next one when this share of the processor time is idle, looked at so often. */
  startIdleShare: 0.2,
  startLookMs: 100,
  /** The longest that one of them waits for that. */
  startWaitMs: 3_000,
  crashLimit: 3,
  crashWithinMs: 60_000,
  crashBackoffMs: [1_000, 5_000, 15_000],
  killWithinMs: 2_000,
  /** A server that runs and printed no line that fits its ready pattern counts as online after this long all the same. */
  readyWithinMs: 30 * 60 * 1000,
  /** Processes and threads of a server that is not limited to fewer: enough for any game, too few for a fork bomb. */
  serverProcesses: 4_096,
  /** The last output can arrive after the exit; this long a silence ends the wait for it. */
  lastOutputMs: 200,

  /** Bodies of requests. */
  definitionBytes: 4_194_304,
  /** The value of one variable. */
  variableValueBytes: 16_384,
  bodyBytes: 1_048_576,
  editableFileBytes: 20_971_520,
  /** The largest file whose contents are sent over a live socket; a larger one is downloaded. */
  liveContentsBytes: 1024 * 1024,
  /** The longest answer about files over a live socket, and the largest frame of one: such an answer and a little more. */
  liveAnswerBytes: 8 * 1024 * 1024,
  liveFrameBytes: 9 * 1024 * 1024,
  /** So many answers about files wait at the same time for viewers to read them, one of each person; others wait so long. */
  liveAnswersAtOnce: 8,
  liveAnswerWaitMs: 5_000,
  /** Images beyond this are downloaded rather than shown: a page holds all of one in memory. */
  previewBytes: 64 * 1024 ** 2,
  jsonDepth: 100,
  /** The index of templates: what it may send and unpack to, how many files, how long it may take, how long it is kept. */
  templateIndexBytes: 16 * 1024 ** 2,
  templateIndexUnpackedBytes: 128 * 1024 ** 2,
  templateIndexFiles: 10_000,
  templateIndexMs: 20_000,
  templateIndexRedirects: 5,
  templateIndexKeptMs: 5 * 60 * 1000,
  /** How long a request may take to send its body; files are not meant. */
  bodyMs: 60_000,

  /** Paths that people type, in bytes of UTF-8; a name is one part of a path. */
  pathBytes: 4_096,
  nameBytes: 255,
  /** The longest path with each of its bytes escaped, and what is around it in a URL. */
  urlBytes: 3 * 4_096 + 2_048,
  /** The head of a request: the URL, and to a node once more in its ticket. */
  headBytes: 64 * 1024,
  /** Links inside a server's folder that are followed on the way to one file. */
  linksFollowed: 16,

  /** Work on the files of a server: what one job may name, what runs at once per server, how long its end is told. */
  pathsPerJob: 1_000,
  fileJobsAtOnce: 2,
  fileJobsWaiting: 20,
  fileJobKeptMs: 10 * 60 * 1000,
  /** How often pages ask about it: just after it began, while some runs, and otherwise, for what others began. */
  fileJobsFirstMs: 250,
  fileJobsEveryMs: 1_000,
  fileJobsIdleMs: 10_000,
  searchResults: 500,
  searchMs: 5_000,
  /** Searches, and zips that are packed while they are sent: of one server, and of all servers of a node. */
  searchesAtOnce: 2,
  searchesAtOnceOnNode: 8,
  zipsAtOnce: 2,
  zipsAtOnceOnNode: 16,
  diskUsageEveryMs: 60_000,
  diskUsageWaitMs: 5_000,

  /** Buffers of file transfers; two of the first are in use at a time, seven of the second at most. */
  fileReadBytes: 512 * 1024,
  fileWriteBytes: 1024 * 1024,
  /** A file that is being written is brought to the disk in parts of this size while it grows. */
  fileFlushBytes: 32 * 1024 ** 2,
  /** What a panel reads from a node at a time. */
  relayReadBytes: 256 * 1024,

  /** Uploads, and how long unfinished ones are kept. */
  uploadBytes: 256 * 1024 ** 3,
  uploadsPerServer: 100,
  uploadSweepEveryMs: 60 * 60 * 1000,
  /** How long one that has arrived is still known, for whoever missed the answer. */
  uploadDoneKeptMs: 60 * 60 * 1000,
  uploadKeptMs: 7 * 24 * 60 * 60 * 1000,
  /** What a browser sends in one request: a file up to the first size whole, a larger one in pieces of the second. */
  uploadWholeBytes: 8 * 1024 ** 2,
  uploadPieceBytes: 32 * 1024 ** 2,
  /** What got lost on its way is sent again after these waits, the last one again and again; a node gets this long. */
  uploadRetryMs: [1_000, 2_000, 5_000, 10_000, 30_000],
  uploadGiveUpMs: 10 * 60 * 1000,
  /** How often progress is shown, and over which time speed is levelled out. */
  uploadProgressMs: 250,
  uploadPaceMs: 3_000,
  /** An upload that moved this lately is at work in another tab. */
  uploadActiveMs: 60_000,
  /** A link to a file that a browser downloads. */
  downloadTicketMs: 60_000,

  /** Archives: what unpacking may write, how deep, how many times the size of the archive once it is worth asking. */
  archiveBytes: 256 * 1024 ** 3,
  archiveEntries: 1_000_000,
  archiveDepth: 100,
  archiveRatio: 1_000,
  archiveRatioFromBytes: 256 * 1024 ** 2,
  archiveMs: 6 * 60 * 60 * 1000,
  /** What 7-Zip may take for one archive, and for how many it may work at a time. */
  archiveMemoryBytes: 640 * 1024 ** 2,
  sevenZipThreads: 2,
  /** So many threads at most pack at a time, for all archives together. */
  deflateThreads: 4,
  skippedShown: 20,

  /** SFTP: how long a client may take to log in, how often it may try, and what it may hold open. */
  sftpLoginMs: 60_000,
  sftpTries: 6,
  sftpIdleMs: 30 * 60 * 1000,
  sftpSessions: 1_000,
  sftpSessionsPerUser: 32,
  sftpHandles: 256,
  /** Connections of all, and of one address: logins that are not done count too. */
  sftpConnections: 2_000,
  sftpConnectionsPerAddress: 64,
  /** Sessions go on this long while no panel answers; then they end. */
  sftpUnconfirmedMs: 60_000,
  sshKeysPerPerson: 50,

  /** Downloads of install steps. */
  downloadBytes: 64 * 1024 ** 3,
  downloadIdleMs: 60_000,
  downloadTotalMs: 6 * 60 * 60 * 1000,
  downloadRedirects: 5,
  downloadTries: 3,
  downloadRetryMs: 500,
  downloadConnectMs: 10_000,
  /** What is kept of them for the next server, of all that are known by a digest. */
  downloadCacheBytes: 20 * 1024 ** 3,
  /** What nobody used for this long goes, however much room there is. */
  downloadCacheKeptMs: 90 * 24 * 60 * 60 * 1000,
  /** Java and the like: beyond this what no server uses goes, the oldest first, and after that time all of it. */
  runtimesBytes: 10 * 1024 ** 3,
  runtimesKeptMs: 30 * 24 * 60 * 60 * 1000,
  /** What was asked for this lately may not be on the PATH of its server yet. */
  runtimeFreshMs: 24 * 60 * 60 * 1000,
  /** How often both are looked through. */
  suppliesTidyEveryMs: 60 * 60 * 1000,
  /** Lists and descriptions of outside services. */
  upstreamAnswerBytes: 64 * 1024 ** 2,
  upstreamAnswerMs: 120_000,
  /** The longest that a `sleep` step may last. */
  sleepMs: 24 * 60 * 60 * 1000,
  /** Progress on the console: not more often than the first, at the latest after the second or every 10 %. */
  downloadProgressMs: 2_000,
  downloadQuietMs: 10_000,

  /** The Docker Engine: how often it is looked for, and how long it may take to answer, to start a container, to come back. */
  dockerLookEveryMs: 2_000,
  dockerPingMs: 1_000,
  dockerCallMs: 10_000,
  dockerStartMs: 60_000,
  dockerBackMs: 30_000,
  dockerRetryMs: 1_000,
  /** How much later than the end of a container Docker may record that it was killed for its memory. */
  dockerOutOfMemoryMs: 300,
  /** Of an image nothing came for this long: the pull is given up. */
  dockerPullIdleMs: 120_000,
  /** Output of a container that was read and is not kept yet, and commands that it has not read. */
  dockerAheadBytes: 1_048_576,
  dockerInputBytes: 1_048_576,
  /** What the engine keeps of a container's output: that much while we are away. */
  dockerLogFileBytes: 16_777_216,
  dockerLogFiles: 4,
  /** How far behind the known place in the engine's log may be, and how often it is moved on. */
  dockerAnchorBytes: 1_048_576,
  dockerAnchorMs: 5_000,

  /** Tasks of a server, what sets one off, and how many of all servers of a node run at once. */
  tasksPerServer: 100,
  taskNameMax: 100,
  taskSteps: 100,
  /** The shortest time between two times of a schedule, except of administrators. */
  scheduleIntervalMs: 10_000,
  /** Runs of a server that times and lines on its console may set off; more are left out, which is said so long. */
  automaticRuns: { burst: 60, perSecond: 1 },
  automaticRunsToldMs: 600_000,
  taskBytes: 16 * 1024,
  taskTriggers: 10,
  tasksAtOnce: 5,
  /** Of those, how many may be of one server: who sleeps for hours must not stand in the way of others. */
  tasksAtOncePerServer: 2,
  /** The longest that a run may take, and a step of it may wait for a server to be up or down. */
  taskRunMs: 6 * 60 * 60 * 1000,
  taskPowerMs: 10 * 60 * 1000,
  /** How often the clock is looked at, which may have been set. */
  taskLookMs: 30_000,
  /** A time that passed longer ago was missed. */
  taskLateMs: 60_000,
  /** A clock that was set back by more was wrong before: times are not waited for that were served by it. */
  taskStepBackMs: 24 * 60 * 60 * 1000,
  /** What is kept of each: its last runs, and what a run printed, the end of it. */
  taskRunsKept: 50,
  taskRunLines: 200,
  taskRunsBytes: 1_048_576,
  taskRunLineBytes: 1_000,
  /** How long the panel is asked what a person may do; while none answers, what it said last holds. */
  taskRightsMs: 5_000,
  taskPeopleAsked: 1_000,
  taskRightsRetryMs: 500,
  /** A line on the console sets a task off at most this often. */
  taskEventEveryMs: 1_000,
  /** What a server prints is taken for an answer to what a task typed for this long. */
  taskEchoMs: 5_000,
  /** What befalls a server is taken for a consequence of a start by a task for this long. */
  taskOwnStartMs: 120_000,
  /** How often pages ask about tasks: while one runs, and otherwise, for what sets one off by itself. */
  tasksEveryMs: 1_000,
  tasksIdleMs: 10_000,

  /** Patterns that lines of servers have to fit: how long one may be, and how much of a line is looked at. */
  patternMax: 500,
  /** What its repetitions with a count add up to, and how many instructions it has when it is compiled. */
  patternCopies: 250,
  patternProgram: 600,
  patternLineChars: 4_096,
  /** Looking for them in what servers print: how much at a time, how long that may take, how much may wait. */
  patternBytes: 65_536,
  patternMs: 2_000,
  /** A busy machine may take so many times as long before it begins. */
  patternLooks: 15,
  patternAheadBytes: 1_048_576,
  /** So many patterns of a server may take too long within an hour before all of its are switched off. */
  slowPatterns: 3,
  slowPatternsWithinMs: 60 * 60 * 1000,

  /** How long one search and replace of an `alterfile` step may take. */
  alterFileMs: 5_000,

  /** Nodes: how often they report, and after which silence one is shown as offline: with the polling of a page, in 15 s. */
  nodeNameMax: 100,
  nodeReportEveryMs: 3_000,
  nodeOfflineMs: 10_000,
  /** A change of a server's state is reported after this little while, with others of that time. */
  nodeReportSoonMs: 250,
  /** More reports of a node than that within `loginWindowMs` are refused: it could not have had so many to make. */
  nodeReportsMost: 1_500,
  /** After this silence another node may take its place, and keys change without waiting for it. */
  nodeSilentMs: 30_000,
  /** Panels try so often whether they reach a node that reports, and hold on to where nodes are for this long. */
  nodeReachEveryMs: 30_000,
  nodesCacheMs: 1_000,
  /** A node that cannot join tries again after this, then twice as long and so on up to the second. */
  nodeEnrolMs: 1_000,
  nodeEnrolMostMs: 30_000,
  /** Ranges of ports of a node, and how many free ones are picked at once. */
  portRanges: 100,
  portNoteMax: 200,
  portsPicked: 50,
  /** A node names so many of the ports in use at most. */
  portsInUse: 10_000,
  /** A node looks for so many programs at once. */
  programsChecked: 100,
  /** Keys of panels: how old what a panel knows of them may be, how long nodes are told of the next one before it signs at the
   * latest, and how long the one before is believed afterwards. */
  signingKeysCacheMs: 1_000,
  signingKeyTellMs: 600_000,
  signingKeyKeptMs: 3_600_000,
  nodeReportBytes: 8 * 1024 * 1024,
  /** What is kept of a report: of the node itself, and of each of its servers. */
  nodeReportSelfBytes: 64 * 1024,
  nodeReportServerBytes: 2048,
  /** What is left of a disk that counts as full. */
  nodeDiskFreeShare: 0.05,

  /** Calls between panel and node. */
  nodeCallMs: 10_000,
  /** While somebody waits longer for another machine, whether it is still there is asked so often, and waited for so long. */
  nodeWatchEveryMs: 3_000,
  nodeWatchMs: 3_000,
  nodeUsageMs: 2_000,
  /** A node that has all the bytes of a file brings them to the disk, be it another one. */
  nodeStoreMs: 300_000,
  /** Deleting runs uninstall steps and removes every file. */
  nodeRemoveMs: 120_000,
  /** How old what a node said it can do may be. */
  nodeFeaturesMs: 10_000,
  /** A stream from a node that says nothing for this long is given up. */
  nodeStreamIdleMs: 60_000,
  /** Whoever was refused in the middle of a body is read for this long, so that the answer arrives. */
  lingerMs: 3_000,
  socketsPerUser: 200,
  /** What viewers may send over live sockets: of one socket, of all sockets of a person, and what is refused before it ends. */
  socketMessages: { burst: 150, perSecond: 30 },
  userMessages: { burst: 600, perSecond: 100 },
  refusedMessages: { burst: 300, perSecond: 10 },
  /** What a panel holds for all viewers of one person that do not read, beside the frame in hand of each. */
  userBacklogBytes: 16 * 1024 * 1024,
  /** Requests of one person that are not answered to the end, and those of them whose answers have megabytes. */
  requestsPerUser: 100,
  largeAnswersPerUser: 8,

  /** What one panel asks of a database server: connections, and how long it waits for one and for an answer. */
  databaseConnections: 10,
  databaseConnectMs: 3_000,
  databaseStatementMs: 10_000,
  databaseIdleMs: 60_000,
  /** What half-succeeded is taken back while the database is away: so often, and for so long. */
  takeBackEveryMs: 1_000,
  takeBackMs: 120_000,
  /** Who changes the tables of a cluster shows so often that it lives, and is given up after this. */
  migrationBeatMs: 2_000,
  migrationLeaseMs: 30_000,

  /** A stopping program ends what is in progress within this time. */
  shutdownMs: 15_000,
  /** Of that, what requests in progress get before they are cut off. */
  requestsEndMs: 5_000,
  userSettings: 500,

  /** Settings of the panel: how long a panel may go on with what another one has changed. */
  settingMax: 1_000,
  settingsCacheMs: 1_000,

  /** Links that are sent by mail, good once. */
  inviteLifeMs: 7 * 24 * 60 * 60 * 1000,
  passwordResetLifeMs: 60 * 60 * 1000,
  emailConfirmationLifeMs: 24 * 60 * 60 * 1000,

  /** Mail: how long one try may take, when the next ones follow, and how long another panel leaves a mail to the one that took it. */
  mailSendMs: 30_000,
  mailTestMs: 15_000,
  mailRetryMs: [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000],
  mailLeaseMs: 120_000,
  mailEveryMs: 5_000,
  /** While the database is away, how often it is tried to write down that a mail was sent. */
  mailInsistMs: 1_000,
  mailAtOnce: 5,
  mailKeptMs: 7 * 24 * 60 * 60 * 1000,
  /** More than these within an hour are a flood. */
  mailPerRecipient: 20,
  mailPerSender: 100,
  mailWindowMs: 60 * 60 * 1000,

  /** Activity: how long it is kept, and how old entries are taken away. */
  activityKeptMs: 90 * 24 * 60 * 60 * 1000,
  activityPurgeEveryMs: 60 * 60 * 1000,
  activityPurgePage: 500,
  /** More of one person within a minute is summed up in one entry: what they did, commands typed on a server, what was refused. */
  activityPerMinute: 600,
  activityCommandsPerMinute: 60,
  activityRefusalsPerMinute: 60,

  /** The code of a view that is loaded on demand is given up after this. */
  viewLoadMs: 120_000,

  /** Toasts and other messages. */
  toastMs: 2_500,
  errorToastMs: 6_000,
  copiedMs: 6_000,
} as const
