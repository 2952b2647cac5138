// Making and freeing communicators: collective calls, recorded for their time only. Their messages
// are MPI's own.
#include "pmix_hooks/call.hpp"

COMMMAP_TIMED(Comm_dup, (MPI_Comm comm, MPI_Comm* copy), (comm, copy))
COMMMAP_TIMED(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm* copy),
              (comm, info, copy))
COMMMAP_TIMED(Comm_idup, (MPI_Comm comm, MPI_Comm* copy, MPI_Request* request),
              (comm, copy, request))
COMMMAP_TIMED(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* part),
              (comm, color, key, part))
COMMMAP_TIMED(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* part),
              (comm, type, key, info, part))
COMMMAP_TIMED(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made), (comm, group, made))
COMMMAP_TIMED(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made),
              (comm, group, tag, made))
COMMMAP_TIMED(Comm_free, (MPI_Comm * comm), (comm))
COMMMAP_TIMED(Comm_disconnect, (MPI_Comm * comm), (comm))
COMMMAP_TIMED(Intercomm_create,
              (MPI_Comm local, int local_leader, MPI_Comm bridge, int remote_leader, int tag,
               MPI_Comm* made),
              (local, local_leader, bridge, remote_leader, tag, made))
COMMMAP_TIMED(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* merged), (comm, high, merged))
COMMMAP_TIMED(Cart_create,
              (MPI_Comm comm, int num_dims, const int dims[], const int periods[], int reorder,
               MPI_Comm* made),
              (comm, num_dims, dims, periods, reorder, made))
COMMMAP_TIMED(Cart_sub, (MPI_Comm comm, const int remain[], MPI_Comm* made), (comm, remain, made))
COMMMAP_TIMED(Graph_create,
              (MPI_Comm comm, int num_nodes, const int index[], const int edges[], int reorder,
               MPI_Comm* made),
              (comm, num_nodes, index, edges, reorder, made))
COMMMAP_TIMED(Dist_graph_create,
              (MPI_Comm comm, int count, const int nodes[], const int degrees[],
               const int targets[], const int weights[], MPI_Info info, int reorder,
               MPI_Comm* made),
              (comm, count, nodes, degrees, targets, weights, info, reorder, made))
COMMMAP_TIMED(Dist_graph_create_adjacent,
              (MPI_Comm comm, int in_degree, const int sources[], const int source_weights[],
               int out_degree, const int destinations[], const int destination_weights[],
               MPI_Info info, int reorder, MPI_Comm* made),
              (comm, in_degree, sources, source_weights, out_degree, destinations,
               destination_weights, info, reorder, made))
