; A straight waveguide in three dimensions: MEEP's own first example, with a third side.
(set! geometry-lattice (make lattice (size 12 8 4)))
(set! geometry (list (make block (center 0 0 0) (size infinity 1 infinity)
                       (material (make dielectric (epsilon 12))))))
(set! sources (list (make source (src (make continuous-src (frequency 0.15)))
                      (component Ez) (center -5 0 0))))
(set! pml-layers (list (make pml (thickness 1.0))))
(set! resolution 8)
(run-until 10)
