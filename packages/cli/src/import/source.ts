/** Options of a reader of another panel. */
export interface SourceOptions {
  /** Whether this installation has a panel; without one, only what a node has is read. */
  readonly hasPanel: boolean
  /** Database of the other panel; without it, that of its configuration. */
  readonly database: string | undefined
  /** Its configuration file. */
  readonly config: string | undefined
  /** Folder of its servers. */
  readonly servers: string | undefined
  /** Name of the node of the other panel that is on this machine. */
  readonly node: string | undefined
  /** A file or folder of eggs; only these are imported. */
  readonly eggs?: string | undefined
  /** Domain of the addresses of users without one. */
  readonly emailDomain: string
  /** The installation folder of the other panel, or the folder of the server. */
  readonly folder: string
  /** The archive that the folder was unpacked from. */
  readonly archive?: string | undefined
}

/** Options of a reader, with what has to be removed after the import. */
export interface OpenSource extends AsyncDisposable {
  readonly options: SourceOptions
}
