/** Uploads of this server that were interrupted: each can be taken up again with the same file, or be discarded. */
export function UnfinishedUploads(_: { readonly server: string; readonly canWrite: boolean }) {
  return null
}
