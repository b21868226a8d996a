// Reads single keys without echo, as programs that draw whole screens do. Prints its size, each new size, and each key in hex.
const printSize = () => console.log(`size ${process.stdout.columns}x${process.stdout.rows}`)

process.stdin.setRawMode(true)
process.stdin.on('data', (data) => console.log(`key ${data.toString('hex')}`))
process.stdout.on('resize', printSize)
printSize()
