import { use } from 'react'
import { type Confirm, ConfirmContext } from './confirm-provider.tsx'

/** Returns a function that opens a dialog and resolves with whether the user confirmed, after `onConfirm`. */
export function useConfirm(): Confirm {
  return use(ConfirmContext)
}
