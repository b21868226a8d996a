import type { AuditAction } from '@innkeeper/contract/api/audit-actions'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import type { Database } from '../database/schema.ts'

const signInActions: readonly AuditAction[] = ['session.open', 'session.otp']

/** Whether the audit log has sign-ins of the user, but none from the subnet of this address. */
export async function isNewLocation(on: Database, userId: number, address: string): Promise<boolean> {
  const rows = await on
    .selectFrom('activity')
    .select('address')
    .distinct()
    .where('user_id', '=', userId)
    .where('action', 'in', signInActions)
    .where('result', '=', 'done')
    .execute()
  const subnet = clientSubnet(address)
  return rows.length > 0 && !rows.some((row) => clientSubnet(row.address) === subnet)
}
