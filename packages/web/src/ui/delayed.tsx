import type { ReactNode } from 'react'
import { useDelayed } from './use-delayed.ts'

/** Shows a skeleton once loading takes longer than 150 ms. */
export function Delayed({ children }: { children: ReactNode }) {
  return useDelayed(true) && children
}
