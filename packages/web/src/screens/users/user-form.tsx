import { reauth } from '@innkeeper/contract/auth'
import { getSelf } from '@innkeeper/contract/panel'
import {
  deleteUser,
  editUser,
  getUser,
  getUserPermissions,
  listUsers,
  putUserPermissions,
  resetUserOtp,
} from '@innkeeper/contract/users'
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, use, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Link, useNavigate } from 'react-router'
import { isRefusal, request } from '../../api/request.ts'
import { keyOf } from '../../api/use-call.ts'
import { TellRefusalContext, useSend } from '../../api/use-send.ts'
import { objectionTo } from '../../features/new-account/rules.ts'
import { useCombination } from '../../hotkeys/hotkeys.tsx'
import { useText } from '../../i18n/text.tsx'
import { useSession } from '../../session/session.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { useLeaveGuard } from '../../ui/leave-guard.ts'
import { ErrorDetailsContext, fieldOf, isUnexplained, messageOf } from '../../ui/refusal.tsx'
import { Card, SaveBar } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { PermissionSwitches } from './permission-switches.tsx'
import { changedFlags, globalFlagsOf, permissionsOf } from './permissions.ts'
import { UserHead } from './user-head.tsx'
import type { UserProps } from './user-screen.tsx'
import classes from './users-screen.module.css'

const fields = ['username', 'email', 'password'] as const
type Field = (typeof fields)[number]
type Problems = Partial<Record<Field, string>>

/** Changes who a person is and what they may do; both are saved together. */
export function UserForm({ user, permissions }: UserProps) {
  const text = useText()
  const tell = use(TellRefusalContext)
  const showDetails = use(ErrorDetailsContext)
  const confirm = useConfirm()
  const queries = useQueryClient()
  const goTo = useNavigate()
  const { self, begin } = useSession()
  const params = { id: user.id }
  const edit = useSend(editUser, { quiet: true })
  const putPermissions = useSend(putUserPermissions, { quiet: true })
  const remove = useSend(deleteUser, { refreshes: [listUsers] })
  const resetOtp = useSend(resetUserOtp, { refreshes: [getUser] })
  const [values, setValues] = useState<Readonly<Record<Field, string>>>({ ...user, password: '' })
  const [problems, setProblems] = useState<Problems>({})
  const saved = globalFlagsOf(permissions)
  const [flags, setFlags] = useState(saved)
  const [isDeleted, setIsDeleted] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const isSelf = self?.id === user.id
  const isSaving = edit.pending || putPermissions.pending

  const typed = { username: values.username.trim(), email: values.email.trim(), password: values.password }
  const changedFields = fields.filter((field) => typed[field] !== (field === 'password' ? '' : user[field]))
  const changedPermissions = changedFlags(saved, flags)
  const changes = changedFields.length + changedPermissions.length

  const show = (found: Problems) => {
    setProblems(found)
    const first = fields.find((field) => found[field] !== undefined)
    if (first) form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus()
  }
  const discard = () => {
    setValues({ ...user, password: '' })
    setFlags(saved)
    setProblems({})
  }
  const complain = (error: unknown, otherwise: string) => {
    const named = isRefusal(error, 'ErrDuplicateUsername')
      ? 'username'
      : isRefusal(error, 'ErrDuplicateEmail')
        ? 'email'
        : fieldOf(error)
    const field = fields.find((name) => name === named)
    if (field) show({ [field]: messageOf(text, error) })
    else if (isUnexplained(error)) {
      toast.error(otherwise, { action: { label: text('common.Details'), run: () => showDetails(error) } })
    } else tell(error)
  }
  const save = async () => {
    if (changes === 0 || isSaving) return
    const found = changedFields.flatMap((field) => {
      const objection = objectionTo(text, field, { ...typed, repeated: '' })
      return objection === undefined ? [] : [[field, objection] as const]
    })
    show(Object.fromEntries(found))
    if (found.length > 0) return
    const loses = isSelf && changedPermissions.some((flag) => saved.has(flag))
    const isWanted =
      !loses ||
      (await confirm({
        title: text('users.GiveUpTitle'),
        body: text('users.GiveUpBody'),
        action: text('users.GiveUp'),
        understand: text('users.Understood'),
        danger: true,
      }))
    if (!isWanted) return
    let otherwise = text('users.UpdateFailed')
    try {
      if (changedFields.length > 0) {
        await edit.send({ params, body: Object.fromEntries(changedFields.map((field) => [field, typed[field]])) })
      }
      otherwise = text('users.PermissionsFailed')
      if (changedPermissions.length > 0) await putPermissions.send({ params, body: permissionsOf(flags) })
      toast.success(text('common.Saved'))
      // Own rights show in the frame at once.
      if (isSelf && changedPermissions.length > 0) begin(await request(reauth))
    } catch (error) {
      complain(error, otherwise)
      return
    }
    const stale = [listUsers, getUser, getUserPermissions, ...(isSelf ? [getSelf] : [])]
    await Promise.all(stale.map((call) => queries.invalidateQueries({ queryKey: keyOf(call) })))
    setValues((now) => ({ ...now, password: '' }))
  }
  useCombination('$mod+s', () => void save())
  useLeaveGuard(changes > 0 && !isDeleted)

  const askAndDelete = async () => {
    const isWanted = await confirm({
      title: text('users.DeleteTitle', { name: user.username }),
      body: text(isSelf ? 'users.DeleteSelfBody' : 'users.DeleteBody'),
      action: text('users.Delete'),
      danger: true,
      typeToConfirm: user.username,
    })
    if (!isWanted) return
    try {
      await remove.send({ params })
    } catch {
      // It was told already, and the person is still there.
      return
    }
    // Nothing of it can be saved any more.
    flushSync(() => setIsDeleted(true))
    toast.success(text('users.Deleted', { name: user.username }))
    await goTo('/user')
  }
  const askAndResetOtp = async () => {
    const isWanted = await confirm({
      title: text('users.ResetOtpTitle', { name: user.username }),
      body: text('users.ResetOtpBody'),
      action: text('users.ResetOtp'),
      danger: true,
    })
    if (!isWanted) return
    try {
      await resetOtp.send({ params })
      toast.success(text('users.OtpReset', { name: user.username }))
    } catch {
      // `useSend` has told why.
    }
  }
  const field = (name: Field) => ({
    name,
    value: values[name],
    error: problems[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setValues((now) => ({ ...now, [name]: value }))
      setProblems(({ [name]: _, ...others }) => others)
    },
  })

  return (
    <form
      ref={form}
      noValidate
      className={classes.form}
      aria-label={text('users.Form', { name: user.username })}
      onSubmit={(event: FormEvent) => {
        event.preventDefault()
        void save()
      }}
    >
      <Card>
        <UserHead
          user={user}
          actions={
            <>
              {user.otpEnabled && !isSelf && (
                <Button size="xs" variant="default" loading={resetOtp.pending} onClick={() => void askAndResetOtp()}>
                  {text('users.ResetOtp')}
                </Button>
              )}
              <Button
                size="xs"
                variant="default"
                c="var(--ik-offline)"
                leftSection={<IconTrash size={16} aria-hidden />}
                loading={remove.pending}
                onClick={() => void askAndDelete()}
              >
                {text('common.Delete')}
              </Button>
            </>
          }
        />
        <div className={classes.fields}>
          <TextInput
            {...field('username')}
            label={text('account.Username')}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
          {isSelf ? (
            <p className={classes.own}>
              {text('errors.ErrOwnAccount')}. <Link to="/account">{text('users.ToAccount')}</Link>
            </p>
          ) : (
            <>
              <TextInput {...field('email')} type="email" label={text('account.Email')} autoComplete="off" />
              <PasswordInput
                {...field('password')}
                label={text('users.NewPassword')}
                placeholder={text('users.KeepPassword')}
                autoComplete="new-password"
                visibilityToggleButtonProps={{ 'aria-label': text('login.Reveal') }}
              />
            </>
          )}
        </div>
      </Card>
      <PermissionSwitches saved={saved} flags={flags} onChange={setFlags} />
      {/* Enter in a field saves. */}
      <button type="submit" hidden />
      <SaveBar changes={changes} saving={isSaving} onDiscard={discard} onSave={() => void save()} />
    </form>
  )
}
