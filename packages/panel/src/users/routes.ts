import * as calls from '@innkeeper/contract/users'
import type { Serve } from '../access/serve.ts'
import type { DirectoryService } from './directory.ts'

export function userRoutes(serve: Serve, directory: DirectoryService): void {
  serve(calls.listUsers, ({ query }) => directory.list(query))
  serve(calls.createUser, ({ caller, body, acting }) => directory.create(caller, body, acting))
  serve(calls.getUser, ({ params }) => directory.get(params.id))
  serve(calls.editUser, ({ caller, params, body, acting }) => directory.edit(caller, params.id, body, acting))
  serve(calls.deleteUser, ({ caller, params, acting }) => directory.remove(caller, params.id, acting))
  serve(calls.resetUserOtp, ({ caller, params, acting }) => directory.resetOtp(caller, params.id, acting))
  serve(calls.getUserPermissions, ({ params }) => directory.permissions(params.id))
  serve(calls.putUserPermissions, ({ caller, params, body, acting }) =>
    directory.permit(caller, params.id, body, acting),
  )
}
