import { type QueryType, queryTypes } from '@innkeeper/contract/definitions/query'
import { Select, Text } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { getText, type JsonObject, setIn } from './json-path.ts'
import { FieldRow, PathInput, SectionCard, type SectionProps } from './section-card.tsx'
import { getFieldIssueMessage, type ValidationIssue } from './validation.ts'

interface QueryCardProps extends SectionProps {
  readonly issues: readonly ValidationIssue[]
}

const typePath = ['query', 'type']

/** How the game is asked for its players. */
export function QueryCard({ raw, onChange, issues }: QueryCardProps) {
  const t = useT()
  const type = getText(raw, typePath)
  const known = queryTypes.map((value) => ({ value, label: t(`definition.QueryType_${value}`) }))
  const isKnown = type === '' || queryTypes.some((value) => value === type)
  return (
    <SectionCard section="query">
      <Text c="dimmed">{t('definition.QueryHelp')}</Text>
      <FieldRow>
        <Select
          label={t('definition.QueryProtocol')}
          data={[{ value: '', label: t('definition.QueryType_none') }, ...known, ...(isKnown ? [] : [type])]}
          value={type}
          allowDeselect={false}
          onChange={(value) => onChange(setQueryType(raw, value ?? ''))}
        />
        {type !== '' &&
          fieldsOf(type).map((name) => {
            const path = ['query', name]
            const label = t(`definition.Query_${name}`)
            return (
              <PathInput
                key={name}
                raw={raw}
                onChange={onChange}
                path={path}
                label={label}
                description={t(`definition.QueryHelp_${name}`, { variable: '${queryport}', sum: '${port}+1' })}
                error={getFieldIssueMessage(t, issues, { path: path.join('.'), label, value: getText(raw, path) })}
              />
            )
          })}
      </FieldRow>
    </SectionCard>
  )
}

const fieldsOfType: Readonly<Partial<Record<QueryType, 'listPort' | 'game'>>> = {
  minecraft: 'listPort',
  gamedig: 'game',
}

function fieldsOf(type: string): readonly ('port' | 'listPort' | 'game')[] {
  const further = Object.entries(fieldsOfType).find(([name]) => name === type)?.[1]
  return further ? ['port', further] : ['port']
}

/** Sets how the game is asked; an empty type removes all of it. Fields that only the former type has are removed. */
export function setQueryType(raw: JsonObject, type: string): JsonObject {
  if (type === '') return setIn(raw, ['query'], undefined)
  const [, further] = fieldsOf(getText(raw, typePath))
  return setIn(further ? setIn(raw, ['query', further], undefined) : raw, typePath, type)
}
