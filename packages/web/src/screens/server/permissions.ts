import { isAdmin, type RequiredPermission, type ServerPermissions } from '@innkeeper/contract/api/permissions'

/** Whether the user has a permission on the server of the page. */
export type Can = (permission: RequiredPermission) => boolean

/** Combines the user's scopes in the panel and permissions on the server; administrators have all permissions. */
export function createCan(scopes: readonly string[], permissions: ServerPermissions | null): Can {
  const hasAll = isAdmin(scopes) || permissions?.admin === true
  return (permission) => {
    if (hasAll || permission === 'viewServer') return true
    if (permission === 'admin') return false
    if (permission === 'deleteServer') return permissions?.deleteServer === true || permissions?.deleteServers === true
    return permissions?.[permission] === true
  }
}
