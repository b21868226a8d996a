import type { ReactNode } from 'react'

/** Holds the queue of uploads as long as somebody is logged in, and shows it. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  return children
}
