import type { JoiningPlayer, LastStatus } from './protocols/protocol.ts'

export interface ListenOptions {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  readonly status: LastStatus
  /** Called when a player joins, who is at this address. May be called again. */
  readonly onJoin: (join: JoiningPlayer, address: string) => void
}

export interface SleepListener {
  readonly port: number
  close(): Promise<void>
}
