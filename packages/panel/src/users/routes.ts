import * as calls from '@innkeeper/contract/users'
import type { Serve } from '../access/serve.ts'
import type { DirectoryService } from './directory.ts'

export function userRoutes(serve: Serve, directory: DirectoryService): void {
  serve(calls.listUsers, ({ query }) => directory.list(query))
  serve(calls.createUser, ({ caller, body }) => directory.create(caller, body))
  serve(calls.getUser, ({ params }) => directory.get(params.id))
  serve(calls.editUser, ({ caller, params, body }) => directory.edit(caller, params.id, body))
  serve(calls.deleteUser, ({ caller, params }) => directory.remove(caller, params.id))
  serve(calls.resetUserOtp, ({ caller, params }) => directory.resetOtp(caller, params.id))
  serve(calls.getUserPermissions, ({ params }) => directory.permissions(params.id))
  serve(calls.putUserPermissions, ({ caller, params, body }) => directory.permit(caller, params.id, body))
}
