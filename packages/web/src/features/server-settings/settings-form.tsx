import { getData, putData, type ServerData } from '@innkeeper/contract/node-servers'
import { objectionTo } from '@innkeeper/contract/variables'
import { Button } from '@mantine/core'
import { IconAdjustments, IconDeviceFloppy } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, use, useState } from 'react'
import { flushSync } from 'react-dom'
import { isRefusal, request } from '../../api/request.ts'
import { keyOf, useCall } from '../../api/use-call.ts'
import { TellRefusalContext, useSend } from '../../api/use-send.ts'
import { useCombination } from '../../hotkeys/hotkeys.tsx'
import { useFormats, useText } from '../../i18n/text.tsx'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import { useLeaveGuard } from '../../ui/leave-guard.ts'
import { Notice } from '../../ui/notice.tsx'
import { fieldOf, messageOf } from '../../ui/refusal.tsx'
import { Badge, Card, Keys } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { sectionsOf } from '../variables/sections.ts'
import { useConditions } from '../variables/use-conditions.ts'
import { focusVariable, VariableField } from '../variables/variable-field.tsx'
import { FieldGrid, VariableSections } from '../variables/variable-sections.tsx'
import {
  changedIn,
  changedMeanwhile,
  currentOf,
  type Field,
  fieldsOf,
  type Typed,
  valuesNow,
  valuesToSend,
} from './fields.ts'
import classes from './server-settings.module.css'

/** The editable variables of a server. */
export function ServerSettings({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const text = useText()
  const given = { params: { id } }
  const data = useCall(getData, given, { refetchOnWindowFocus: false })

  if (data.isPending) return <SettingsSkeleton />
  if (data.isError) {
    return <LoadFailure title={text('server.SettingsNotLoaded')} error={data.error} again={() => void data.refetch()} />
  }
  if (fieldsOf(data.data.data, isAdmin).length === 0) {
    return <EmptyState icon={<IconAdjustments size={24} aria-hidden />} title={text('server.SettingsNone')} />
  }
  return <SettingsForm id={id} isAdmin={isAdmin} held={data.data} />
}

interface SettingsFormProps {
  readonly id: string
  readonly isAdmin: boolean
  readonly held: ServerData
}

function SettingsForm({ id, isAdmin, held: { data: variables, groups = [] } }: SettingsFormProps) {
  const text = useText()
  const { number } = useFormats()
  const tell = use(TellRefusalContext)
  const queries = useQueryClient()
  const put = useSend(putData, { quiet: true, refreshes: [getData] })
  const [typed, setTyped] = useState<Typed>({})
  const [objections, setObjections] = useState<Readonly<Record<string, string>>>({})
  const [meanwhile, setMeanwhile] = useState<readonly Field[]>([])
  const [checking, setChecking] = useState(false)
  const conditions = useConditions(groups)
  const fields = fieldsOf(variables, isAdmin)
  const changed = changedIn(fields, typed)
  const values = valuesNow(variables, typed)
  // Where something has to be put right, nothing is folded away.
  const hasProblem = (name: string) => objections[name] !== undefined
  const sections = sectionsOf(
    fields,
    groups,
    (group) => conditions.isThere(group, { values }) || group.variables.some(hasProblem),
  )
  const given = { params: { id } }

  const judge = (field: Field, value: string) => {
    const objection = objectionTo(field.name, field.variable, value, field.label)
    const { [field.name]: _, ...others } = objections
    setObjections(objection ? { ...others, [field.name]: messageOf(text, objection) } : others)
    return objection
  }
  const change = (field: Field, value: string) => {
    setTyped({ ...typed, [field.name]: value })
    if (objections[field.name] !== undefined) judge(field, value)
  }
  const discard = () => {
    setTyped({})
    setObjections({})
    setMeanwhile([])
  }
  const save = async (over = false) => {
    if (changed.length === 0 || put.pending || checking) return
    const wrong = changed.flatMap((field) => {
      const objection = objectionTo(field.name, field.variable, currentOf(field, typed), field.label)
      return objection ? [[field.name, messageOf(text, objection)] as const] : []
    })
    flushSync(() => setObjections(Object.fromEntries(wrong)))
    if (wrong[0]) return focusVariable(wrong[0][0])
    try {
      setChecking(true)
      if (!over) {
        const { data } = await request(getData, given)
        const others = changedMeanwhile(fields, fieldsOf(data, isAdmin))
        if (others.length > 0) return setMeanwhile(others)
      }
      await put.send({ ...given, body: { data: valuesToSend(fields, typed) } })
      discard()
      toast.success(text('common.Saved'))
    } catch (refusal) {
      const field = fields.find(({ name }) => name === fieldOf(refusal)?.replace(/^data\.|\.value$/g, ''))
      if (!field || !isRefusal(refusal)) return tell(refusal)
      flushSync(() => setObjections({ [field.name]: messageOf(text, refusal) }))
      focusVariable(field.name)
    } finally {
      setChecking(false)
    }
  }
  const reload = async () => {
    discard()
    await queries.invalidateQueries({ queryKey: keyOf(getData, given) })
  }
  useCombination('$mod+s', () => void save())
  useLeaveGuard(changed.length > 0)

  const row = (field: Field) => (
    <VariableField
      key={field.name}
      name={field.name}
      variable={field.variable}
      value={currentOf(field, typed)}
      problem={objections[field.name]}
      onChange={(value) => change(field, value)}
      onLeave={() => judge(field, currentOf(field, typed))}
    />
  )
  if (conditions.isLoading) return <SettingsSkeleton />
  return (
    <form
      noValidate
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Card>
        <div className={classes.head}>
          <h2>{text('server.SettingsTitle')}</h2>
          <span>{text('server.SettingsCount', { count: sections.flatMap((section) => section.fields).length })}</span>
        </div>
        {meanwhile.length > 0 && (
          <div className={classes.notice}>
            <Notice
              kind="warning"
              urgent
              action={
                <>
                  <Button size="xs" variant="default" onClick={() => void reload()}>
                    {text('server.Reload')}
                  </Button>
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => {
                      setMeanwhile([])
                      void save(true)
                    }}
                  >
                    {text('server.Overwrite')}
                  </Button>
                </>
              }
            >
              {text('server.SettingsChangedMeanwhile', { fields: meanwhile.map(({ label }) => label).join(', ') })}
            </Notice>
          </div>
        )}
        <VariableSections sections={sections}>
          {(fields) => (
            <>
              <Rows fields={fields.filter(({ isGuarded }) => !isGuarded)} row={row} />
              <Rows fields={fields.filter(({ isGuarded }) => isGuarded)} row={row} isGuarded />
            </>
          )}
        </VariableSections>
        <div className={classes.bar} data-dirty={changed.length > 0 || undefined}>
          <span role="status" className={classes.changes}>
            {changed.length > 0 &&
              text('server.SettingsUnsaved', { count: changed.length, changes: number(changed.length) })}
          </span>
          <Button variant="subtle" color="gray" disabled={changed.length === 0} onClick={discard}>
            {text('common.Discard')}
          </Button>
          <Button
            type="submit"
            disabled={changed.length === 0}
            loading={put.pending || checking}
            leftSection={<IconDeviceFloppy size={17} aria-hidden />}
          >
            {text('common.Save')}
            <span className={classes.keys} aria-hidden="true">
              <Keys keys="Ctrl S" />
            </span>
          </Button>
        </div>
      </Card>
    </form>
  )
}

interface RowsProps {
  readonly fields: readonly Field[]
  readonly row: (field: Field) => ReactNode
  readonly isGuarded?: boolean
}

function Rows({ fields, row, isGuarded = false }: RowsProps) {
  const text = useText()
  if (fields.length === 0) return null
  return (
    <>
      {isGuarded && (
        <div className={classes.divider}>
          <Badge>{text('server.SettingsOnlyAdministrators')}</Badge>
        </div>
      )}
      <FieldGrid>{fields.map(row)}</FieldGrid>
    </>
  )
}

function SettingsSkeleton() {
  const text = useText()
  return (
    <Card className={classes.form}>
      <div className={classes.head} aria-busy="true">
        <h2>{text('server.SettingsTitle')}</h2>
      </div>
      <FieldGrid>
        {[1, 2, 3, 4].map((place) => (
          <span key={place} className={classes.skeleton} />
        ))}
      </FieldGrid>
    </Card>
  )
}
