! SPDX-FileCopyrightText: The commmap authors
! SPDX-License-Identifier: Apache-2.0

! traffic.c's scenarios of the same names in Fortran, for the same expectations of recorder_*_test.cpp. Compiled with
! mpif.h, with the module mpi (USE_MPI) and with mpi_f08 (USE_MPI_F08). MPI4: for an MPI that has
! the calls of MPI 4; PARTITIONED: and those with partitions.
#ifdef USE_MPI_F08
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define FILE_HANDLE type(MPI_File)
#else
#define COMM integer
#define REQUEST integer
#define DATATYPE integer
#define FILE_HANDLE integer
#endif

module traffic
#if defined(USE_MPI_F08)
    use mpi_f08
    implicit none
#elif defined(USE_MPI)
    use mpi
    implicit none
#else
    implicit none
    include 'mpif.h'
#endif
    integer :: rank, size, right, left, error
    integer(1), asynchronous :: out(65536) = 0, in(65536) = 0

contains

    ! One of each kind of send to the right neighbour, from the left one.
    subroutine sends
        integer, parameter :: single(8) = [0, 16, 17, 64, 65, 256, 257, 1024]
        integer, parameter :: started(4) = [10, 100, 20, 30], times(4) = [3, 3, 1, 1]
        integer(1), save :: pool(65536)
        REQUEST :: receive(17), one, persistent(5)
        DATATYPE :: vector
        integer :: i, t, n, at
        call MPI_Buffer_attach(pool, 65536, error)
        n = 0
        at = 1
        do i = 1, 8
            n = n + 1
            call MPI_Irecv(in(at), 2048, MPI_BYTE, left, i - 1, MPI_COMM_WORLD, receive(n), error)
            at = at + 2048
        end do
        do i = 1, 4
            do t = 1, times(i)
                n = n + 1
                call MPI_Irecv(in(at), 128, MPI_BYTE, left, 9 + i, MPI_COMM_WORLD, receive(n), error)
                at = at + 128
            end do
        end do
        n = n + 1
        call MPI_Irecv(in(at), 48, MPI_BYTE, left, 20, MPI_COMM_WORLD, receive(n), error)
        call MPI_Barrier(MPI_COMM_WORLD, error)

        call MPI_Send(out, single(1), MPI_BYTE, right, 0, MPI_COMM_WORLD, error)
        call MPI_Bsend(out, single(2), MPI_BYTE, right, 1, MPI_COMM_WORLD, error)
        call MPI_Ssend(out, single(3), MPI_BYTE, right, 2, MPI_COMM_WORLD, error)
        call MPI_Rsend(out, single(4), MPI_BYTE, right, 3, MPI_COMM_WORLD, error)
        call MPI_Isend(out, single(5), MPI_BYTE, right, 4, MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Ibsend(out, single(6), MPI_BYTE, right, 5, MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Issend(out, single(7), MPI_BYTE, right, 6, MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Irsend(out, single(8), MPI_BYTE, right, 7, MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)

        call MPI_Send_init(out, started(1), MPI_BYTE, right, 10, MPI_COMM_WORLD, persistent(1), error)
        call MPI_Ssend_init(out, started(2), MPI_BYTE, right, 11, MPI_COMM_WORLD, persistent(2), error)
        call MPI_Bsend_init(out, started(3), MPI_BYTE, right, 12, MPI_COMM_WORLD, persistent(3), error)
        call MPI_Rsend_init(out, started(4), MPI_BYTE, right, 13, MPI_COMM_WORLD, persistent(4), error)
        call MPI_Send_init(out, 5, MPI_BYTE, MPI_PROC_NULL, 13, MPI_COMM_WORLD, persistent(5), error)
        do t = 1, 3
            call MPI_Start(persistent(1), error)
            call MPI_Wait(persistent(1), MPI_STATUS_IGNORE, error)
            call MPI_Startall(1, persistent(2:2), error)
            call MPI_Waitall(1, persistent(2:2), MPI_STATUSES_IGNORE, error)
        end do
        call MPI_Startall(3, persistent(3:5), error)
        call MPI_Waitall(3, persistent(3:5), MPI_STATUSES_IGNORE, error)
        do i = 1, 5
            call MPI_Request_free(persistent(i), error)
        end do

        ! 3 blocks of 2 integers: 24 bytes of data over 48
        call MPI_Type_vector(3, 2, 5, MPI_INTEGER, vector, error)
        call MPI_Type_commit(vector, error)
        call MPI_Send(out, 2, vector, right, 20, MPI_COMM_WORLD, error)
        call MPI_Type_free(vector, error)
        call MPI_Waitall(n, receive, MPI_STATUSES_IGNORE, error)

        call MPI_Sendrecv(out, 40, MPI_BYTE, right, 30, in, 40, MPI_BYTE, left, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call MPI_Sendrecv_replace(out, 50, MPI_BYTE, right, 31, left, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)

        call MPI_Send(out, 5, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, error)
        call MPI_Isend(out, 5, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
    end subroutine

    ! On four ranks.
    subroutine topologies
        logical, parameter :: second(2) = [.false., .true.], both(2) = [.true., .true.], no(1) = [.false.]
        integer, parameter :: dims(2) = [2, 2], index(4) = [2, 3, 4, 6], edges(6) = [1, 3, 0, 3, 0, 2]
        integer, parameter :: source(1) = [0], degree(1) = [2], to(2) = [0, 1], weights(2) = [1, 1]
        COMM :: made(6)
        integer :: i
        call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, second, .false., made(1), error)
        call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, both, .false., made(2), error)
        call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, second, .false., made(3), error)
        call MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, .false., made(4), error)
        call MPI_Dist_graph_create(MPI_COMM_WORLD, merge(1, 0, rank == 0), source, degree, to, weights, MPI_INFO_NULL, &
            .false., made(5), error)
        call MPI_Cart_create(MPI_COMM_WORLD, 1, dims(1:1), no, .false., made(6), error)
        do i = 1, 6
            if (made(i) /= MPI_COMM_NULL) call MPI_Comm_free(made(i), error)
        end do
    end subroutine

    subroutine communicators
        COMM :: reversed, copy, part, inter
        integer :: i, me, color, root
        call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reversed, error)
        call MPI_Comm_dup(reversed, copy, error)
        if (rank == 3) call MPI_Send(out, 8, MPI_BYTE, 1, 0, copy, error)
        if (rank == 2) call MPI_Recv(in, 8, MPI_BYTE, 0, 0, copy, MPI_STATUS_IGNORE, error)
        call MPI_Bcast(out, 100, MPI_BYTE, 1, reversed, error)
        call MPI_Bcast(out, 200, MPI_BYTE, 1, copy, error)
        call MPI_Comm_free(copy, error)
        call MPI_Comm_free(reversed, error)

        do i = 0, 19
            color = merge(mod(rank, 2), rank / 2, mod(i, 2) == 0)
            call MPI_Comm_split(MPI_COMM_WORLD, color, rank, part, error)
            call MPI_Comm_rank(part, me, error)
            if (me == 0) call MPI_Send(out, 4, MPI_BYTE, 1, 0, part, error)
            if (me == 1) call MPI_Recv(in, 4, MPI_BYTE, 0, 0, part, MPI_STATUS_IGNORE, error)
            call MPI_Comm_free(part, error)
        end do

        call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, part, error)
        call MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - mod(rank, 2), 7, inter, error)
        call MPI_Comm_rank(inter, me, error)
        call MPI_Sendrecv(out, 70, MPI_BYTE, me, 0, in, 70, MPI_BYTE, me, 0, inter, MPI_STATUS_IGNORE, error)
        call MPI_Alltoall(out, 300, MPI_BYTE, in, 300, MPI_BYTE, inter, error)
        root = 1
        if (rank == 3) root = MPI_ROOT
        if (rank == 1) root = MPI_PROC_NULL
        call MPI_Bcast(out, 1100, MPI_BYTE, root, inter, error)
        call MPI_Comm_free(inter, error)
        call MPI_Comm_free(part, error)
    end subroutine

    subroutine collectives
        integer :: root, counts(64)
        REQUEST :: one
        root = size - 1
        counts = 1
        call MPI_Barrier(MPI_COMM_WORLD, error)
        call MPI_Ibarrier(MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Bcast(out, 100, MPI_BYTE, root, MPI_COMM_WORLD, error)
        call MPI_Ibcast(out, 300, MPI_BYTE, root, MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Bcast(out, 7, MPI_BYTE, 0, MPI_COMM_WORLD, error)
        call MPI_Reduce(out, in, 10, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, error)
        call MPI_Allreduce(out, in, 11, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        call MPI_Allreduce(MPI_IN_PLACE, in, 11, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        call MPI_Scan(out, in, 12, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        call MPI_Exscan(out, in, 13, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        ! What is not significant in place says something else.
        if (rank == root) then
            call MPI_Gather(MPI_IN_PLACE, 99, MPI_BYTE, in, 5, MPI_INTEGER, root, MPI_COMM_WORLD, error)
            call MPI_Scatter(out, 6, MPI_INTEGER, MPI_IN_PLACE, 99, MPI_BYTE, root, MPI_COMM_WORLD, error)
        else
            call MPI_Gather(out, 5, MPI_INTEGER, in, 5, MPI_INTEGER, root, MPI_COMM_WORLD, error)
            call MPI_Scatter(out, 6, MPI_INTEGER, in, 6, MPI_INTEGER, root, MPI_COMM_WORLD, error)
        end if
        call MPI_Allgather(MPI_IN_PLACE, 99, MPI_BYTE, in, 7, MPI_INTEGER, MPI_COMM_WORLD, error)
        call MPI_Alltoall(MPI_IN_PLACE, 99, MPI_BYTE, in, 8, MPI_INTEGER, MPI_COMM_WORLD, error)
        call MPI_Reduce_scatter(out, in, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
        call MPI_Reduce_scatter_block(out, in, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    end subroutine

    ! r sends 10 r + d + 1 bytes to d; each has 256 bytes of room.
    subroutine lay_out(send, receive, places)
        integer, intent(out) :: send(64), receive(64), places(64)
        integer :: i
        send = [(10 * rank + i, i = 1, 64)]
        receive = [(10 * (i - 1) + rank + 1, i = 1, 64)]
        places = [(256 * (i - 1), i = 1, 64)]
    end subroutine

    ! No neighbour beyond the ends.
    subroutine make_line(line)
        COMM, intent(out) :: line
        integer :: dims(1)
        logical :: periods(1)
        dims = size
        periods = .false.
        call MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, .false., line, error)
    end subroutine

    ! From the left neighbour, to the right one.
    subroutine make_ring(ring)
        COMM, intent(out) :: ring
        integer :: source(1), neighbour(1), weight(1)
        source = left
        neighbour = right
        weight = 1
        call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, source, weight, 1, neighbour, weight, MPI_INFO_NULL, .false., ring, &
                                            error)
    end subroutine

    ! The forms with a length per destination.
    subroutine by_destination
        integer :: root, i, send(64), receive(64), places(64), one(1), bytes(1)
        integer, parameter :: both(2) = [700, 700]
        integer(MPI_ADDRESS_KIND) :: addresses(64)
        DATATYPE :: types(64)
        COMM :: line, ring
        root = size - 1
        call lay_out(send, receive, places)
        addresses = places
        types = MPI_BYTE
        call MPI_Alltoallv(out, send, places, MPI_BYTE, in, receive, places, MPI_BYTE, MPI_COMM_WORLD, error)
        call MPI_Alltoallw(out, send, places, types, in, receive, places, types, MPI_COMM_WORLD, error)
        ! r gives 100 + r bytes and gets as many
        do i = 1, size
            receive(i) = 99 + i
        end do
        call MPI_Gatherv(out, 100 + rank, MPI_BYTE, in, receive, places, MPI_BYTE, root, MPI_COMM_WORLD, error)
        call MPI_Scatterv(out, receive, places, MPI_BYTE, in, 100 + rank, MPI_BYTE, root, MPI_COMM_WORLD, error)
        call MPI_Allgatherv(out, 100 + rank, MPI_BYTE, in, receive, places, MPI_BYTE, MPI_COMM_WORLD, error)

        call make_line(line)
        call MPI_Neighbor_allgather(out, 1100, MPI_BYTE, in, 1100, MPI_BYTE, line, error)
        call MPI_Neighbor_allgatherv(out, 700, MPI_BYTE, in, both, places, MPI_BYTE, line, error)
        call MPI_Comm_free(line, error)
        one = 1
        bytes = 5000
        call make_ring(ring)
        call MPI_Neighbor_alltoall(out, 5000, MPI_BYTE, in, 5000, MPI_BYTE, ring, error)
        call MPI_Neighbor_alltoallv(out, bytes, places, MPI_BYTE, in, bytes, places, MPI_BYTE, ring, error)
        call MPI_Neighbor_alltoallw(out, one, addresses, types, in, one, addresses, types, ring, error)
        call MPI_Comm_free(ring, error)
    end subroutine

    ! The same, nonblocking.
    subroutine nonblocking_collectives
        integer :: root, counts(64)
        REQUEST :: one, started
        root = size - 1
        counts = 1
        call MPI_Ibarrier(MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Ibarrier(MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Ibcast(out, 100, MPI_BYTE, root, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Ibcast(out, 300, MPI_BYTE, root, MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Ibcast(out, 7, MPI_BYTE, 0, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Ireduce(out, in, 10, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Iallreduce(out, in, 11, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Iallreduce(MPI_IN_PLACE, in, 11, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Iscan(out, in, 12, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Iexscan(out, in, 13, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        ! What is not significant in place says something else.
        if (rank == root) then
            call MPI_Igather(MPI_IN_PLACE, 99, MPI_BYTE, in, 5, MPI_INTEGER, root, MPI_COMM_WORLD, started, error)
            call MPI_Wait(started, MPI_STATUS_IGNORE, error)
            call MPI_Iscatter(out, 6, MPI_INTEGER, MPI_IN_PLACE, 99, MPI_BYTE, root, MPI_COMM_WORLD, started, error)
            call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        else
            call MPI_Igather(out, 5, MPI_INTEGER, in, 5, MPI_INTEGER, root, MPI_COMM_WORLD, started, error)
            call MPI_Wait(started, MPI_STATUS_IGNORE, error)
            call MPI_Iscatter(out, 6, MPI_INTEGER, in, 6, MPI_INTEGER, root, MPI_COMM_WORLD, started, error)
            call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        end if
        call MPI_Iallgather(MPI_IN_PLACE, 99, MPI_BYTE, in, 7, MPI_INTEGER, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Ialltoall(MPI_IN_PLACE, 99, MPI_BYTE, in, 8, MPI_INTEGER, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Ireduce_scatter(out, in, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Ireduce_scatter_block(out, in, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
    end subroutine

    subroutine nonblocking_by_destination
        integer :: root, i, send(64), receive(64), places(64), one(1), bytes(1)
        integer, parameter :: both(2) = [700, 700]
        integer(MPI_ADDRESS_KIND) :: addresses(64)
        DATATYPE :: types(64)
        COMM :: line, ring
        REQUEST :: started
        root = size - 1
        call lay_out(send, receive, places)
        addresses = places
        types = MPI_BYTE
        call MPI_Ialltoallv(out, send, places, MPI_BYTE, in, receive, places, MPI_BYTE, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Ialltoallw(out, send, places, types, in, receive, places, types, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        ! r gives 100 + r bytes and gets as many
        do i = 1, size
            receive(i) = 99 + i
        end do
        call MPI_Igatherv(out, 100 + rank, MPI_BYTE, in, receive, places, MPI_BYTE, root, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Iscatterv(out, receive, places, MPI_BYTE, in, 100 + rank, MPI_BYTE, root, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Iallgatherv(out, 100 + rank, MPI_BYTE, in, receive, places, MPI_BYTE, MPI_COMM_WORLD, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)

        call make_line(line)
        call MPI_Ineighbor_allgather(out, 1100, MPI_BYTE, in, 1100, MPI_BYTE, line, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Ineighbor_allgatherv(out, 700, MPI_BYTE, in, both, places, MPI_BYTE, line, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Comm_free(line, error)
        one = 1
        bytes = 5000
        call make_ring(ring)
        call MPI_Ineighbor_alltoall(out, 5000, MPI_BYTE, in, 5000, MPI_BYTE, ring, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Ineighbor_alltoallv(out, bytes, places, MPI_BYTE, in, bytes, places, MPI_BYTE, ring, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Ineighbor_alltoallw(out, one, addresses, types, in, one, addresses, types, ring, started, error)
        call MPI_Wait(started, MPI_STATUS_IGNORE, error)
        call MPI_Comm_free(ring, error)
    end subroutine

#ifdef MPI4
    subroutine run(one)
        REQUEST, intent(inout) :: one
        call MPI_Start(one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Request_free(one, error)
    end subroutine

    ! The same, each made, started once and freed; two stay nonblocking.
    subroutine started_collectives
        integer :: root, counts(64)
        REQUEST :: one
        root = size - 1
        counts = 1
        call MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Ibarrier(MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Bcast_init(out, 100, MPI_BYTE, root, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Ibcast(out, 300, MPI_BYTE, root, MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Bcast_init(out, 7, MPI_BYTE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Reduce_init(out, in, 10, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Allreduce_init(out, in, 11, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Allreduce_init(MPI_IN_PLACE, in, 11, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Scan_init(out, in, 12, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Exscan_init(out, in, 13, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
        if (rank == root) then
            call MPI_Gather_init(MPI_IN_PLACE, 5, MPI_INTEGER, in, 5, MPI_INTEGER, root, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
            call run(one)
            call MPI_Scatter_init(out, 6, MPI_INTEGER, MPI_IN_PLACE, 6, MPI_INTEGER, root, MPI_COMM_WORLD, MPI_INFO_NULL, &
                                  one, error)
        else
            call MPI_Gather_init(out, 5, MPI_INTEGER, in, 5, MPI_INTEGER, root, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
            call run(one)
            call MPI_Scatter_init(out, 6, MPI_INTEGER, in, 6, MPI_INTEGER, root, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        end if
        call run(one)
        call MPI_Allgather_init(out, 7, MPI_INTEGER, in, 7, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Alltoall_init(out, 8, MPI_INTEGER, in, 8, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Reduce_scatter_init(out, in, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Reduce_scatter_block_init(out, in, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
    end subroutine

    subroutine started_by_destination
        integer :: root, i, send(64), receive(64), places(64), weight(1), bytes(1)
        integer, parameter :: both(2) = [700, 700]
        integer(MPI_ADDRESS_KIND) :: addresses(64)
        DATATYPE :: types(64)
        COMM :: line, ring
        REQUEST :: one
        root = size - 1
        call lay_out(send, receive, places)
        addresses = places
        types = MPI_BYTE
        call MPI_Alltoallv_init(out, send, places, MPI_BYTE, in, receive, places, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL, &
                                one, error)
        call run(one)
        call MPI_Alltoallw_init(out, send, places, types, in, receive, places, types, MPI_COMM_WORLD, MPI_INFO_NULL, one, error)
        call run(one)
        do i = 1, size
            receive(i) = 99 + i
        end do
        call MPI_Gatherv_init(out, 100 + rank, MPI_BYTE, in, receive, places, MPI_BYTE, root, MPI_COMM_WORLD, MPI_INFO_NULL, &
                              one, error)
        call run(one)
        call MPI_Scatterv_init(out, receive, places, MPI_BYTE, in, 100 + rank, MPI_BYTE, root, MPI_COMM_WORLD, MPI_INFO_NULL, one, &
                               error)
        call run(one)
        call MPI_Allgatherv_init(out, 100 + rank, MPI_BYTE, in, receive, places, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL, &
                                 one, error)
        call run(one)

        call make_line(line)
        call MPI_Neighbor_allgather_init(out, 1100, MPI_BYTE, in, 1100, MPI_BYTE, line, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Neighbor_allgatherv_init(out, 700, MPI_BYTE, in, both, places, MPI_BYTE, line, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Comm_free(line, error)
        weight = 1
        bytes = 5000
        call make_ring(ring)
        call MPI_Neighbor_alltoall_init(out, 5000, MPI_BYTE, in, 5000, MPI_BYTE, ring, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Neighbor_alltoallv_init(out, bytes, places, MPI_BYTE, in, bytes, places, MPI_BYTE, ring, MPI_INFO_NULL, one, error)
        call run(one)
        call MPI_Neighbor_alltoallw_init(out, weight, addresses, types, in, weight, addresses, types, ring, MPI_INFO_NULL, &
                                         one, error)
        call run(one)
        call MPI_Comm_free(ring, error)
    end subroutine

    subroutine persistent
        integer :: t, send(64), receive(64), places(64)
        REQUEST :: once, together(2)
        call lay_out(send, receive, places)
        call MPI_Allreduce_init(out, in, 11, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, once, error)
        call MPI_Alltoallv_init(out, send, places, MPI_BYTE, in, receive, places, MPI_BYTE, MPI_COMM_WORLD, MPI_INFO_NULL, &
                                together(1), error)
        call MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, together(2), error)
        do t = 1, 3
            call MPI_Start(once, error)
            call MPI_Wait(once, MPI_STATUS_IGNORE, error)
        end do
        do t = 1, 2
            call MPI_Startall(2, together, error)
            call MPI_Waitall(2, together, MPI_STATUSES_IGNORE, error)
        end do
        call MPI_Request_free(once, error)
        call MPI_Request_free(together(1), error)
        call MPI_Request_free(together(2), error)
    end subroutine

    ! To the right neighbour in four partitions, twice.
    subroutine partitioned
#ifdef PARTITIONED
        integer(MPI_COUNT_KIND), parameter :: ten = 10
        REQUEST :: both(2)
        integer :: t, p
        call MPI_Psend_init(out, 4, ten, MPI_INTEGER, right, 0, MPI_COMM_WORLD, MPI_INFO_NULL, both(1), error)
        call MPI_Precv_init(in, 4, ten, MPI_INTEGER, left, 0, MPI_COMM_WORLD, MPI_INFO_NULL, both(2), error)
        do t = 1, 2
            call MPI_Startall(2, both, error)
            do p = 3, 0, -1
                call MPI_Pready(p, both(1), error)
            end do
            call MPI_Waitall(2, both, MPI_STATUSES_IGNORE, error)
        end do
        call MPI_Request_free(both(1), error)
        call MPI_Request_free(both(2), error)
#endif
    end subroutine

    subroutine both_ways
        REQUEST :: one
        integer :: t
        call MPI_Isendrecv(out, 10, MPI_INTEGER, right, 0, in, 10, MPI_INTEGER, left, 0, MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Isendrecv_replace(out, 20, MPI_BYTE, right, 1, left, 1, MPI_COMM_WORLD, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Recv_init(in, 30, MPI_BYTE, left, 3, MPI_COMM_WORLD, one, error)
        do t = 1, 2
            call MPI_Start(one, error)
            call MPI_Send(out, 30, MPI_BYTE, right, 3, MPI_COMM_WORLD, error)
            call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        end do
        call MPI_Request_free(one, error)
    end subroutine
#endif

    ! From and to the right neighbour, in a window whose ranks are not those of the world.
    subroutine one_sided
        integer :: target
        integer(1), save, asynchronous :: result(1024)
        integer(MPI_ADDRESS_KIND) :: window_bytes
        COMM :: reversed
        REQUEST :: one
#ifdef USE_MPI_F08
        type(MPI_Win) :: win
#else
        integer :: win
#endif
        target = size - 1 - right
        window_bytes = 65536
        call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reversed, error)
        call MPI_Win_create(in, window_bytes, 1, MPI_INFO_NULL, reversed, win, error)
        call MPI_Win_fence(0, win, error)
        call MPI_Put(out, 10, MPI_BYTE, target, at(0), 10, MPI_BYTE, win, error)
        call MPI_Put(out, 5, MPI_BYTE, MPI_PROC_NULL, at(0), 5, MPI_BYTE, win, error)
        call MPI_Get(result, 20, MPI_BYTE, target, at(100), 20, MPI_BYTE, win, error)
        call MPI_Accumulate(out, 8, MPI_INTEGER, target, at(200), 8, MPI_INTEGER, MPI_SUM, win, error)
        call MPI_Win_fence(0, win, error)
        call MPI_Win_lock_all(0, win, error)
        call MPI_Rput(out, 100, MPI_BYTE, target, at(300), 100, MPI_BYTE, win, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Rget(result, 300, MPI_BYTE, target, at(500), 300, MPI_BYTE, win, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Raccumulate(out, 2, MPI_INTEGER, target, at(1000), 2, MPI_INTEGER, MPI_SUM, win, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Get_accumulate(out, 3, MPI_INTEGER, result, 3, MPI_INTEGER, target, at(1100), 3, MPI_INTEGER, MPI_SUM, win, error)
        call MPI_Win_flush(target, win, error)
        call MPI_Rget_accumulate(out, 50, MPI_INTEGER, result, 50, MPI_INTEGER, target, at(1200), 50, MPI_INTEGER, MPI_NO_OP, win, &
                                 one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_Fetch_and_op(out, result, MPI_INTEGER, target, at(1600), MPI_SUM, win, error)
        call MPI_Win_flush(target, win, error)
        call MPI_Compare_and_swap(out, out, result, MPI_INTEGER, target, at(1700), win, error)
        call MPI_Win_unlock_all(win, error)
        call MPI_Win_free(win, error)
        call MPI_Comm_free(reversed, error)
    end subroutine

    subroutine shift(bytes, times)
        integer, intent(in) :: bytes, times
        integer :: i
        do i = 1, times
            call MPI_Sendrecv(out, bytes, MPI_BYTE, right, 0, in, bytes, MPI_BYTE, left, 0, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE, error)
        end do
    end subroutine

    subroutine levels
        call shift(10, 1)
        call MPI_Pcontrol(1)
        call shift(100, 2)
        call MPI_Pcontrol(2)
        call shift(1000, 3)
        call MPI_Pcontrol(1)
        call shift(100, 1)
        call MPI_Pcontrol(0)
        call shift(10, 1)
    end subroutine

    ! IPM's way, which mpif.h alone lets pass.
    subroutine labels
#if !defined(USE_MPI) && !defined(USE_MPI_F08)
        integer :: i
        do i = 1, 3
            call MPI_Pcontrol(1, 'solve'//char(0))
            call shift(100, 1)
            call MPI_Pcontrol(1, 'halo'//char(0))
            call shift(1000, 2)
            call MPI_Pcontrol(-1, 'halo'//char(0))
            call MPI_Barrier(MPI_COMM_WORLD, error)
            call MPI_Pcontrol(-1, 'never begun'//char(0))
            call shift(100, 1)
            call MPI_Pcontrol(1, 'halo'//char(0))
            call MPI_Pcontrol(-1, 'solve'//char(0))
            call shift(10, 1)
        end do
#endif
    end subroutine

    function at(offset)
        integer, intent(in) :: offset
        integer(MPI_ADDRESS_KIND) :: at
        at = offset
    end function
    ! Each rank has a kilobyte of the file.
    subroutine files
        character(len=4096) :: path
        integer(MPI_OFFSET_KIND) :: mine
        FILE_HANDLE :: file
        REQUEST :: one
        call get_command_argument(2, path)
        mine = 1000 * rank
        call MPI_File_open(MPI_COMM_WORLD, trim(path), ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, file, error)
        call MPI_File_write_at_all(file, mine, out, 100, MPI_BYTE, MPI_STATUS_IGNORE, error)
        call MPI_File_write_at(file, mine + 100, out, 5, MPI_INTEGER, MPI_STATUS_IGNORE, error)
        call MPI_File_write_at(file, mine + 120, out, 7, MPI_INTEGER, MPI_STATUS_IGNORE, error)
        call MPI_File_sync(file, error)
        call MPI_File_iread_at(file, mine, in, 50, MPI_BYTE, one, error)
        call MPI_Wait(one, MPI_STATUS_IGNORE, error)
        call MPI_File_read_at_all_begin(file, mine, in, 10, MPI_BYTE, error)
        call MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE, error)
        call MPI_File_close(file, error)
    end subroutine

end module

program main
    use traffic
    implicit none
    character(32) :: scenario
    integer :: level
    call get_command_argument(1, scenario)
    if (scenario == 'by_destination') then
        call MPI_Init_thread(MPI_THREAD_FUNNELED, level, error)
    else
        call MPI_Init(error)
    end if
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    right = mod(rank + 1, size)
    left = mod(rank + size - 1, size)
    select case (scenario)
    case ('sends')
        call sends
    case ('communicators')
        call communicators
    case ('collectives')
        call collectives
    case ('by_destination')
        call by_destination
    case ('nonblocking')
        call nonblocking_collectives
        call nonblocking_by_destination
#ifdef MPI4
    case ('started')
        call started_collectives
        call started_by_destination
    case ('persistent')
        call persistent
    case ('partitioned')
        call partitioned
    case ('both_ways')
        call both_ways
#endif
    case ('topologies')
        call topologies
    case ('one_sided')
        call one_sided
    case ('files')
        call files
    case ('levels')
        call levels
    case ('labels')
        call labels
    end select
#ifdef USE_MPI_F08
    call MPI_Finalize
#else
    call MPI_Finalize(error)
#endif
end program
