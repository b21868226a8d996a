/** The user and group that a file belongs to, or a process runs as. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}
