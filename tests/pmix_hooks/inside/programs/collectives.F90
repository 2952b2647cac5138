! SPDX-FileCopyrightText: The commmap authors
! SPDX-License-Identifier: Apache-2.0

! A broadcast, an allgather and an allreduce with and without MPI_IN_PLACE, an alltoall and a reduction, in Fortran. Rank 0 prints "right" when
! all ranks have what they should. Built with USE_MPI, USE_MPI_F08 or neither (mpif.h).
program collectives
#if defined(USE_MPI_F08)
  use mpi_f08
#elif defined(USE_MPI)
  use mpi
#endif
  implicit none
#if !defined(USE_MPI_F08) && !defined(USE_MPI)
  include 'mpif.h'
#endif
  integer, parameter :: length = 1500
  integer :: rank, ranks, wrong, all_wrong, i, error
  integer :: values(length), sums(length)
  integer, allocatable :: gathered(:), sent(:)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  allocate (gathered(length*ranks), sent(length*ranks))
  wrong = 0

  values = [(i*(rank + 1), i=1, length)]
  call MPI_Bcast(values, length, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, error)
  wrong = wrong + count(values /= [(i*ranks, i=1, length)])

  values = [(i + 10000*rank, i=1, length)]
  call MPI_Allgather(values, length, MPI_INTEGER, gathered, length, MPI_INTEGER, MPI_COMM_WORLD, error)
  do i = 1, ranks
    wrong = wrong + count(gathered((i - 1)*length + 1:i*length) /= values + 10000*(i - 1 - rank))
  end do

  gathered = -1
  gathered(rank*length + 1:(rank + 1)*length) = values
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, gathered, length, MPI_INTEGER, MPI_COMM_WORLD, error)
  do i = 1, ranks
    wrong = wrong + count(gathered((i - 1)*length + 1:i*length) /= values + 10000*(i - 1 - rank))
  end do

  call MPI_Allreduce(values, sums, length, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Allreduce(MPI_IN_PLACE, values, length, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  wrong = wrong + count(sums /= [(i*ranks + 5000*ranks*(ranks - 1), i=1, length)]) + count(values /= sums)

  sent = [(i + 100*rank, i=1, length*ranks)]
  call MPI_Alltoall(sent, length, MPI_INTEGER, gathered, length, MPI_INTEGER, MPI_COMM_WORLD, error)
  do i = 1, ranks
    wrong = wrong + count(gathered((i - 1)*length + 1:i*length) /= sent(rank*length + 1:(rank + 1)*length) + 100*(i - 1 - rank))
  end do

  sums = 0
  call MPI_Reduce(gathered, sums, length, MPI_INTEGER, MPI_SUM, ranks - 1, MPI_COMM_WORLD, error)
  if (rank == ranks - 1) wrong = wrong + count(sums /= [(ranks*i + length*ranks*(ranks - 1)/2, i=1, length)])

  call MPI_Reduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0 .and. all_wrong == 0) print '(a)', 'right'
  call MPI_Finalize(error)
end program collectives
