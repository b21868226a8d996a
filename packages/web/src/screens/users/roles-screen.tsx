import {
  createRole,
  deleteRole,
  getUserRoles,
  listRoles,
  putRole,
  type Role,
  roleScopes,
} from '@innkeeper/contract/accounts/roles'
import type { PanelScope, ServerPermission } from '@innkeeper/contract/api/permissions'
import { Badge, Button, Group, List, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { NoPermission } from '../../ui/feedback/no-permission.tsx'
import { ScopeSelect, ServerPermissionSelect } from '../../ui/fields/permission-select.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { toast } from '../../ui/toasts/toast.tsx'

const changed = { invalidates: [listRoles, getUserRoles] }

/** All roles, for administrators. */
export function RolesScreen() {
  return useCan('servers.admin') ? <Roles /> : <NoPermission scope="servers.admin" />
}

function Roles() {
  const t = useT()
  const query = useApiQuery(listRoles)
  const [edited, setEdited] = useState<Role | 'new'>()
  return (
    <Paper>
      <CardHeader title={t('users.Roles')} description={t('users.RolesAbout')}>
        <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
          {t('users.RoleCreate')}
        </Button>
      </CardHeader>
      <QueryState
        query={query}
        errorTitle={t('users.RolesLoadFailed')}
        isEmpty={(roles) => roles.length === 0}
        empty={
          <Text px="md" py="lg" variant="note">
            {t('users.RolesEmpty')}
          </Text>
        }
      >
        {(roles) => (
          <List listStyleType="none" p="md" aria-label={t('users.Roles')}>
            {roles.map((role) => (
              <RoleRow key={role.id} role={role} onEdit={() => setEdited(role)} />
            ))}
          </List>
        )}
      </QueryState>
      {edited && <RoleDialog role={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </Paper>
  )
}

function RoleRow({ role, onEdit }: { readonly role: Role; readonly onEdit: () => void }) {
  const t = useT()
  const confirm = useConfirm()
  const remove = useApiMutation(deleteRole, changed)
  const { id, name, description, scopes, permissions, users } = role
  const confirmAndRemove = async () => {
    const isConfirmed = await confirm({
      title: t('common.DeleteQuestion', { name }),
      body: t('users.RoleDeleteBody', { count: users }),
      action: t('users.RoleDelete'),
    })
    if (isConfirmed && (await remove.mutate({ params: { id } }))) toast.success(t('common.Deleted', { name }))
  }
  return (
    <List.Item styles={{ itemWrapper: { display: 'block' }, itemLabel: { display: 'block' } }} py="xs">
      <Group wrap="nowrap" justify="space-between" align="flex-start">
        <Stack gap="3xs" miw={0} style={{ overflowWrap: 'anywhere' }}>
          <Text component="bdi" fw={500}>
            {name}
          </Text>
          {description !== '' && (
            <Text component="bdi" variant="note">
              {description}
            </Text>
          )}
          <Group gap="2xs">
            <Badge>{t('common.PermissionCount', { count: scopes.length + permissions.length })}</Badge>
            <Badge>{t('users.RoleUsers', { count: users })}</Badge>
          </Group>
        </Stack>
        <Group gap="3xs" wrap="nowrap">
          <IconButton label={t('common.EditNamed', { name })} tooltip={t('common.Edit')} onClick={onEdit}>
            <IconPencil size={17} aria-hidden />
          </IconButton>
          <IconButton
            label={t('common.DeleteNamed', { name })}
            tooltip={t('common.Delete')}
            onClick={() => void confirmAndRemove()}
          >
            <IconTrash size={17} aria-hidden />
          </IconButton>
        </Group>
      </Group>
    </List.Item>
  )
}

interface RoleDraft {
  readonly name: string
  readonly description: string
  readonly permissions: readonly ServerPermission[]
  readonly scopes: readonly PanelScope[]
}

function RoleDialog({ role, onClose }: { readonly role: Role | undefined; readonly onClose: () => void }) {
  const t = useT()
  const create = useApiMutation(createRole, changed)
  const put = useApiMutation(putRole, changed)
  const { name = '', description = '', permissions = [], scopes = [] } = role ?? {}
  const form = useSubmitForm<RoleDraft, unknown>({
    id: `role-${role?.id ?? 'new'}`,
    initialValues: { name, description, permissions, scopes },
    getLabel: () => t('common.Name'),
    validate: (draft) => ({
      name: draft.name.trim() === '' ? t('errors.ErrFieldRequired', { field: t('common.Name') }) : undefined,
    }),
    fieldByCode: { ErrDuplicateRoleName: 'name' },
    send: (draft): Promise<unknown> => {
      const body = {
        name: draft.name.trim(),
        description: draft.description.trim(),
        permissions: [...draft.permissions],
        scopes: roleScopes.filter((scope) => draft.scopes.includes(scope)),
      }
      return role ? put.mutateAsync({ params: { id: role.id }, body }) : create.mutateAsync({ body })
    },
    onSaved: () => {
      toast.success(t('common.Saved'))
      onClose()
    },
  })
  return (
    <SubmitDialog
      form={form}
      size="lg"
      title={role ? t('common.EditNamed', { name: role.name }) : t('users.RoleCreate')}
      action={t(role ? 'common.Save' : 'users.RoleCreate')}
      onClose={onClose}
    >
      <TextInput {...form.field('name')} data-autofocus label={t('common.Name')} maxLength={64} autoComplete="off" />
      <Textarea {...form.field('description')} label={t('common.Description')} maxLength={500} rows={2} />
      <ServerPermissionSelect
        label={t('users.RolePermissions')}
        description={t('users.RolePermissionsHelp')}
        value={form.values.permissions}
        onChange={(next) => form.set({ permissions: next })}
      />
      <ScopeSelect
        label={t('users.RoleScopes')}
        description={t('users.RoleScopesHelp')}
        scopes={roleScopes}
        value={form.values.scopes}
        onChange={(next) => form.set({ scopes: next })}
      />
    </SubmitDialog>
  )
}
