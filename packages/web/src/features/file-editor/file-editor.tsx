export interface FileEditorProps {
  /** The id of the server. */
  readonly server: string
  /** From the server's folder: `plugins/LandClaim/config.yml`. */
  readonly path: string
  /** Whether the person may save (putServerFiles); otherwise the editor shows and does not change. */
  readonly canWrite: boolean
  readonly onClose: () => void
  /** The file on the server has changed. */
  readonly onSaved?: () => void
}

/** Shows a text file in an overlay and lets it be changed. Load it lazily; it brings the code editor. */
export function FileEditor(_: FileEditorProps) {
  return null
}
