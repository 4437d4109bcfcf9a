package vm

const sysMemfdCreate = 319
