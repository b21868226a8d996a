import { ActionIcon, Button, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useRef } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './definition-editor.module.css'
import { nextId, type TextRow } from './draft.ts'
import { code, PartCard } from './part.tsx'
import type { Problem } from './problems.ts'
import { textOfAny } from './raw.ts'
import { problemText } from './words.ts'

interface EnvCardProps {
  readonly rows: readonly TextRow[]
  readonly onChange: (rows: readonly TextRow[]) => void
  readonly problems: readonly Problem[]
}

/** The environment variables of the process: a row for each. */
export function EnvCard({ rows, onChange, problems }: EnvCardProps) {
  const t = useT()
  const added = useRef<number>(undefined)
  const edit = (id: number, part: Partial<TextRow>) =>
    onChange(rows.map((row) => (row.id === id ? { ...row, ...part } : row)))
  return (
    <PartCard section="env">
      <div className={`${classes.rows} ${classes.wide}`}>
        {rows.length === 0 && <p className={classes.quiet}>{t('definition.NoEnvironmentVars')}</p>}
        {rows.map(({ id, name, value }) => {
          const problem = problems.find(({ at }) => at === `env/${id}`)
          const called = name || t('definition.Unnamed')
          return (
            <div key={id} className={classes.pair}>
              <TextInput
                {...code}
                ref={(input) => {
                  if (!input || added.current !== id) return
                  added.current = undefined
                  input.focus()
                }}
                aria-label={t('definition.EnvironmentName')}
                placeholder={t('definition.EnvironmentName')}
                value={name}
                error={problem && problemText(t, problem)}
                onChange={(event) => edit(id, { name: event.currentTarget.value })}
              />
              <TextInput
                {...code}
                aria-label={t('definition.EnvironmentValue', { name: called })}
                placeholder={t('definition.Value')}
                value={textOfAny(value)}
                onChange={(event) => edit(id, { value: event.currentTarget.value })}
              />
              <ActionIcon
                aria-label={t('definition.Remove', { name: called })}
                onClick={() => onChange(rows.filter((row) => row.id !== id))}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </div>
          )
        })}
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => {
            added.current = nextId(rows)
            onChange([...rows, { id: nextId(rows), name: '', value: '' }])
          }}
        >
          {t('definition.AddEnvironmentVar')}
        </Button>
      </div>
    </PartCard>
  )
}
