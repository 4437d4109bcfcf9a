package vm

const sysMemfdCreate = 279
