import { DataList } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './nodes.module.css'

/** Pairs of a label and a value in a row that wraps. Pairs without a value are left out. */
export function Facts({ facts }: { facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <DataList orientation="vertical" className={classes.facts}>
      {Object.entries(facts).map(
        ([label, value]) =>
          value !== undefined && (
            <DataList.Item key={label}>
              <DataList.ItemLabel>{label}</DataList.ItemLabel>
              <DataList.ItemValue>{value}</DataList.ItemValue>
            </DataList.Item>
          ),
      )}
    </DataList>
  )
}
