import { getUserRoles, listRoles, putUserRoles } from '@innkeeper/contract/accounts/roles'
import type { UserDetail } from '@innkeeper/contract/accounts/users'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { limits } from '@innkeeper/contract/text/limits'
import { Button, Group, List, NativeSelect, Paper, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import type { VersionedResponse } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery, useVersionedApiQuery } from '../../api/use-api.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { toast } from '../../ui/toasts/toast.tsx'

type UserRoles = ResponseOf<typeof getUserRoles>
type RoleOfUser = UserRoles['roles'][number]

/** The roles of a user, which people with the permission to edit users give and take. */
export function UserRolesCard({ user: { id } }: { readonly user: UserDetail }) {
  const t = useT()
  const canEdit = useCan('users.edit')
  const query = useVersionedApiQuery(getUserRoles, { params: { id } })
  const put = useApiMutation(putUserRoles, { invalidates: [getUserRoles, listRoles] })
  const [isGiving, setIsGiving] = useState(false)
  const toRequest = (roles: readonly { readonly role: string; readonly tag?: string | undefined }[]) => ({
    params: { id },
    body: { roles: roles.map(({ role, tag }) => ({ role, ...(tag !== undefined && { tag }) })) },
  })
  const manual = ({ response }: VersionedResponse<UserRoles>) => response.roles.filter(isManual)
  const take = async (data: VersionedResponse<UserRoles>, taken: RoleOfUser) => {
    const rest = manual(data).filter((role) => role !== taken)
    if (await put.mutate(toRequest(rest), { version: data.version })) toast.success(t('common.Saved'))
  }
  return (
    <Paper>
      <CardHeader title={t('users.Roles')}>
        {canEdit && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setIsGiving(true)}
          >
            {t('users.RoleGive')}
          </Button>
        )}
      </CardHeader>
      <QueryState query={query} errorTitle={t('users.RolesLoadFailed')}>
        {(data) => (
          <>
            {data.response.roles.length === 0 && (
              <Text px="md" py="sm" variant="note">
                {t('users.RolesNone')}
              </Text>
            )}
            <List listStyleType="none" px="md" py="xs" aria-label={t('users.Roles')}>
              {data.response.roles.map((role) => (
                <List.Item
                  key={`${role.role} ${role.tag ?? ''} ${role.source}`}
                  styles={{ itemWrapper: { display: 'block' }, itemLabel: { display: 'block' } }}
                >
                  <Group gap="xs" mih="2.25rem" wrap="nowrap" justify="space-between">
                    <Group gap="xs" miw={0} style={{ rowGap: 0, overflowWrap: 'anywhere' }}>
                      <bdi>{role.name}</bdi>
                      <Text c="dimmed" fz="compact">
                        {role.tag === undefined ? t('users.RoleOnAll') : t('users.RoleOnTag', { tag: role.tag })}
                      </Text>
                    </Group>
                    {canEdit && isManual(role) && (
                      <IconButton
                        label={t('common.RemoveNamed', {
                          name: role.tag === undefined ? role.name : `${role.name} (${role.tag})`,
                        })}
                        tooltip={t('common.Remove')}
                        onClick={() => void take(data, role)}
                      >
                        <IconX size={17} aria-hidden />
                      </IconButton>
                    )}
                  </Group>
                </List.Item>
              ))}
            </List>
            {isGiving && (
              <GiveDialog
                id={id}
                give={(role) => put.mutateAsync(toRequest([...manual(data), role]), { version: data.version })}
                onClose={() => setIsGiving(false)}
              />
            )}
          </>
        )}
      </QueryState>
    </Paper>
  )
}

const isManual = ({ source }: RoleOfUser): boolean => source === 'manual'

interface GiveDialogProps {
  readonly id: number
  readonly give: (role: { readonly role: string; readonly tag?: string | undefined }) => Promise<unknown>
  readonly onClose: () => void
}

function GiveDialog({ id, give, onClose }: GiveDialogProps) {
  const t = useT()
  const query = useApiQuery(listRoles)
  const form = useSubmitForm({
    id: `give-role-${id}`,
    initialValues: { role: '', tag: '' },
    getLabel: (field) => t(field === 'role' ? 'users.Role' : 'users.RoleTag'),
    validate: ({ role }) => ({
      role: role === '' ? t('errors.ErrFieldRequired', { field: t('users.Role') }) : undefined,
    }),
    send: ({ role, tag }) => give({ role, ...(tag.trim() !== '' && { tag: tag.trim() }) }),
    onSaved: () => {
      toast.success(t('common.Saved'))
      onClose()
    },
  })
  const roles = query.data ?? []
  return (
    <SubmitDialog form={form} title={t('users.RoleGive')} action={t('users.RoleGive')} onClose={onClose}>
      <NativeSelect
        {...form.field('role')}
        data-autofocus
        label={t('users.Role')}
        data={[{ value: '', label: '' }, ...roles.map(({ id: value, name }) => ({ value, label: name }))]}
      />
      <TextInput
        {...form.field('tag')}
        label={t('users.RoleTag')}
        description={t('users.RoleTagHelp')}
        maxLength={limits.tagMax}
        autoComplete="off"
      />
    </SubmitDialog>
  )
}
